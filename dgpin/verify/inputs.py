"""What the answers about the API depend on, as one text; "" where that cannot be told."""

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
        stamp.of_tree(Path(dgpin.__file__).parent),
        scan.seen(subject.host.root),
        _side(subject.new, material.new()),
        _side(subject.old, material.old()) if subject.old is not None else "none",
        f"{load.key(python)} {sorted(python.modules)}",
    ]
    if not all(parts):
        return ""
    today = datetime.now().astimezone().date()
    return "\0".join([*parts, repr(subject.fit.config.allow), str(today)])


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
