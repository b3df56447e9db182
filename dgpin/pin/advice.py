"""Documents that tell people to install another DeepGEMM than the host pins."""

import re
from collections.abc import Iterator

from dgpin.pin.pinned import Pinned
from dgpin.pin.roles import Role, role
from dgpin.pin.stray import SHORTEST, Search
from dgpin.verdict import Place, Row, Verdict

# As pip takes it: git+https://github.com/OWNER/DeepGEMM.git@REF.
_INSTALLED = re.compile(r"/DeepGEMM(?:\.git)?@([\w.+/-]*\w)")
_TEXTS = re.compile(r"\.(?:md|mdx|rst|txt|ya?ml)$")


def advice(pinned: Pinned, search: Search) -> tuple[Row, ...]:
    """Return one row for each commit or tag that documents pin, or one that says they pin none.

    Where the host carries a copy of its own, what people install wins over it.
    """
    named: dict[str, list[Place]] = {}
    for path, number, line in search(["DeepGEMM.git@", "DeepGEMM@"]):
        if role(path) is Role.DOCS or _TEXTS.search(path):
            for ref in _INSTALLED.findall(line):
                named.setdefault(ref, []).append(Place(path, number))
    return tuple(_rows(named, pinned)) or (
        Row(rule="docs", verdict=Verdict.PASS, message="no document pins a DeepGEMM"),
    )


def _rows(named: dict[str, list[Place]], pinned: Pinned) -> Iterator[Row]:
    ours = pinned.commit or pinned.ref or "an unknown commit"
    for ref, places in named.items():
        right = _is_the_pin(ref, pinned)
        count = f"{len(places)} lines of documents pin" if len(places) > 1 else "a document pins"
        yield Row(
            rule="docs",
            verdict=Verdict.PASS if right else Verdict.FAIL,
            message=f"{count} {ref}" + ("" if right else f"; the host's pin is {ours}"),
            places=tuple(places),
            hint=""
            if right
            else "Whoever follows them installs that one, and it wins over a vendored copy: name "
            "the pin, or drop the lines.",
        )


def _is_the_pin(ref: str, pinned: Pinned) -> bool:
    commit = pinned.commit or ""
    releases = {pinned.wheel, pinned.version} - {None}
    return ref.removeprefix("v") in releases or (len(ref) >= SHORTEST and commit.startswith(ref))
