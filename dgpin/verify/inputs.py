"""What an answer depends on, as one text; "" where that cannot be told."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import dgpin
from dgpin import stamp
from dgpin.api import load
from dgpin.api.builds import EXTENSION, Build
from dgpin.api.host import scan
from dgpin.api.locate import Named
from dgpin.pin import facts as cached
from dgpin.source.directory import DirTree
from dgpin.verify.answer import Point
from dgpin.verify.material import Material


def of_api(material: Material) -> str:
    """Return all that diff-api and lint look at: both sides, the host, the exceptions, the day.

    Raises:
        DgpinError: a side cannot be found.
    """
    subject, python = material.subject, material.python()
    parts = [
        _common(material),
        scan.seen(subject.host.root),
        _side(subject.new, material.new()),
        _side(subject.old, material.old()) if subject.old is not None else "none",
        f"{load.key(python)} {sorted(python.modules)}",
    ]
    return "\0".join([*parts, repr(subject.fit.config.allow)]) if all(parts) else ""


def of_carry(material: Material) -> str:
    """Return all that carry looks at between two directories; "" where there are histories.

    Raises:
        DgpinError: a side cannot be found.
    """
    subject = material.subject
    if subject.mirrors is not None or subject.old is None:
        return ""  # what carry finds between commits, it keeps by itself
    config = subject.fit.config
    parts = [
        _common(material),
        _given(subject.old, material.old),
        _given(subject.new, material.new),
        subject.known.why,
    ]
    return "\0".join([*parts, repr((config.upstream, config.carry_accept))]) if all(parts) else ""


def _common(material: Material) -> str:
    """Return what every answer depends on: dgpin, the day, whether there is to be a document."""
    today = datetime.now().astimezone().date()
    own = stamp.of_tree(Path(dgpin.__file__).parent)
    return f"{own} {today} {bool(material.request.documents)}" if own else ""


def _given(point: Point, find: Callable[[], Named]) -> str:
    return _side(point, find()) if point.given else ""


def _side(point: Point, named: Named) -> str:
    if isinstance(named, Build):
        files = _of_build(named)
    elif isinstance(named.tree, DirTree):
        files = stamp.of_tree(named.tree.root)
    else:
        files = ""  # which files of a commit are at hand may change
    known = cached.load(named.commit) if not isinstance(named, Build) and named.commit else None
    return f"{point}\0{named.label}\0{known}\0{files}" if files else ""


def _of_build(build: Build) -> str:
    """Return the stamp of the package and of the extensions beside it."""
    if build.source is not None:
        return ""
    beside = sorted(path.name for path in build.root.glob(f"{EXTENSION}*"))
    stamps = [stamp.of_tree(build.package), stamp.of_files(build.root, beside)]
    return " ".join(stamps) if all(stamps) else ""
