"""What a build can do beside its API: architectures, kernels, switches, and what it needs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from dgpin.api.builds import Build
from dgpin.pin.facts import Facts

_KERNEL = re.compile(r"(sm(\d+)_\w+)\.cuh$")
_NEEDS = (
    ("GCC", "gcc_min"),
    ("CUDA", "cuda_min"),
    ("C++ standard", "cxx_std"),
    ("rpm packages", "packages.rpm"),
    ("deb packages", "packages.deb"),
    ("apk packages", "packages.apk"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """Each is a sorted tuple of names; `needs` maps what is needed to its value, as text."""

    architectures: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()
    needs: Mapping[str, str] | None = None  # None where a build does not tell it


def of_build(build: Build) -> Capabilities:
    """Return what a built package shows: the kernels whose headers it carries.

    Its environment variables are not read from it: compilers cut such strings to pieces, and names
    put together at run time are in none.
    """
    headers = [p.name for p in (build.package / "include" / "deep_gemm").rglob("*.cuh")]
    found = [m for name in headers if (m := _KERNEL.match(name))]
    return Capabilities(
        architectures=tuple(sorted({f"sm_{m.group(2)}" for m in found})),
        families=tuple(sorted({m.group(1) for m in found})),
    )


def of_source(facts: Facts) -> Capabilities:
    """Return what the text of a source tells."""
    needs: dict[str, str] = {}
    for name, fact in _NEEDS:
        scalar = facts.scalar(fact)
        value = scalar if scalar is not None else ", ".join(facts.items(fact))
        if value and fact not in facts.unknown:
            needs[name] = value
    return Capabilities(
        architectures=_told(facts, "arches"),
        families=_told(facts, "families"),
        switches=tuple(n for n in _told(facts, "environment") if n.startswith("DG_")),
        needs=needs,
    )


def _told(facts: Facts, name: str) -> tuple[str, ...]:
    """Return a list that the source tells whole; none when items of it may be missing."""
    return () if name in facts.unknown else tuple(sorted(facts.items(name)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """One capability that only A has, only B has, or that both have with other values."""

    what: str
    lost: tuple[str, ...]
    gained: tuple[str, ...]


def compare(a: Capabilities, b: Capabilities) -> tuple[Moved, ...]:
    """Return what was lost and gained; what one side does not tell is neither."""
    found = []
    for what, old, new in (
        ("architectures", a.architectures, b.architectures),
        ("kernel families", a.families, b.families),
        ("environment variables", a.switches, b.switches),
    ):
        if not old or not new:
            continue
        lost, gained = (tuple(n for n in x if n not in y) for x, y in ((old, new), (new, old)))
        if lost or gained:
            found.append(Moved(what=what, lost=lost, gained=gained))
    if a.needs is not None and b.needs is not None:
        for name in dict.fromkeys([*a.needs, *b.needs]):
            before, after = a.needs.get(name, ""), b.needs.get(name, "")
            if before != after:
                lost, gained = ((v,) if v else () for v in (before, after))
                found.append(Moved(what=f"needs {name}", lost=lost, gained=gained))
    return tuple(found)
