"""What the sites state, judged by the facts of a source. Used before a bump and by `check`."""

from collections.abc import Callable, Iterator

from dgpin.config import Entry
from dgpin.pin import grammar
from dgpin.pin.facts import Facts
from dgpin.pin.sites import Reading, Site
from dgpin.verdict import Place, Row, Verdict

FLOORS = {"gcc_min": "GCC", "cuda_min": "CUDA", "cxx_std": "C++"}
_OURS = {"repo", "slug", "owner", "name", "commit", "wheel", "branch"}  # stated by the pin itself


def judge(reading: Reading, facts: Facts | None) -> tuple[Row, ...]:
    """Return one row for each entry and fact of the source that it states.

    Without facts every such row is `unknown`.
    """
    stated: dict[tuple[Entry, str], list[Site]] = {}
    for site in reading.sites():
        if site.hole.fact not in _OURS:
            stated.setdefault((site.entry, site.hole.fact), []).append(site)
    rows = []
    for (entry, fact), sites in stated.items():
        if facts is None:
            rows.append(_unknown(fact, tuple(sites)))
        elif entry.each and fact not in {"arches", "files"}:
            rows.append(_list(tuple(sites), facts, reading))
        else:
            rows.append(_rule(fact)(tuple(sites), facts))
    return tuple(rows)


def _rule(fact: str) -> Callable[[tuple[Site, ...], Facts], Row]:
    if fact in FLOORS:
        return _floor
    if fact == "arches":
        return _arches
    if fact == "files":
        return _files
    return _scalar


def _unknown(fact: str, sites: tuple[Site, ...]) -> Row:
    return Row(
        rule=_rule_id(fact),
        verdict=Verdict.UNKNOWN,
        message=f"<{fact}>: the facts of the pinned source are not at hand",
        places=(sites[0].place,),
        hint="`dgpin check --remote` reads the source first.",
    )


def _rule_id(fact: str) -> str:
    if fact in FLOORS:
        return "floor"
    return {"arches": "arch-gate", "files": "file-exists"}.get(fact, "derived")


def _row(fact: str, *, ok: bool, message: str, places: tuple[Place, ...], hint: str = "") -> Row:
    verdict = Verdict.PASS if ok else Verdict.FAIL
    return Row(
        rule=_rule_id(fact),
        verdict=verdict,
        message=message,
        places=places,
        hint="" if ok else hint,
    )


def _told(fact: str, sites: tuple[Site, ...]) -> Row:
    return Row(
        rule=_rule_id(fact),
        verdict=Verdict.UNKNOWN,
        message=f"the pinned source does not tell <{fact}>",
        places=(sites[0].place,),
    )


def _origin(facts: Facts, fact: str) -> tuple[Place, ...]:
    """Return the first lines of the source that tell a fact, as `git show` takes them."""
    return tuple(
        Place(f"{facts.commit[:8]}:{place.path}", place.line) for place in facts.origin(fact)[:2]
    )


def _floor(sites: tuple[Site, ...], facts: Facts) -> Row:
    # Several floors in one entry are several gates, and the strictest of them decides.
    strictest = max(sites, key=lambda site: grammar.version_key(site.hole.value))
    fact, stated = strictest.hole.fact, strictest.hole.value
    needed = facts.scalar(fact)
    if needed is None:
        return _told(fact, sites)
    name = FLOORS[fact]
    ok = grammar.version_key(stated) >= grammar.version_key(needed)
    verb = "declares" if fact != "cxx_std" else "compiles as"
    return _row(
        fact,
        ok=ok,
        message=f"the source needs {name} {needed}; the host {verb} {stated}",
        places=(strictest.place, *_origin(facts, fact)),
        hint=f"Raise the floor to {name} {needed} and say so in the installation page.",
    )


def _arches(sites: tuple[Site, ...], facts: Facts) -> Row:
    families = facts.items("arches")
    if not families:
        return _told("arches", sites)
    beyond = [site for site in sites if grammar.family(site.hole.value) not in families]
    names = ", ".join(sorted({grammar.family(site.hole.value) for site in beyond}))
    return _row(
        "arches",
        ok=not beyond,
        message=f"the host enables {names}, but the source has kernels for {', '.join(families)}"
        if beyond
        else f"every architecture that the host enables is in the source: {', '.join(families)}",
        places=(*(site.place for site in beyond or sites[:1]), *_origin(facts, "arches")),
        hint=f"Pin a source that has {names}, or take it out of the gate.",
    )


def _files(sites: tuple[Site, ...], facts: Facts) -> Row:
    there = facts.items("files")
    if not there:
        return _told("files", sites)
    gone = [site for site in sites if site.hole.value not in there]
    names = ", ".join(site.hole.value for site in gone)
    return _row(
        "files",
        ok=not gone,
        message=f"the source has no {names}" if gone else "the files that it names are there",
        places=tuple(site.place for site in gone or sites[:1]),
        hint="The layout of the source changed; mend the host's build before you pin it.",
    )


def _list(sites: tuple[Site, ...], facts: Facts, reading: Reading) -> Row:
    fact = sites[0].hole.fact
    if fact not in facts.facts:
        return _told(fact, sites)
    needed, stated = facts.items(fact), {site.hole.value for site in sites}
    # What no module of the source imports may be left out of the host's copy.
    idle = facts.items("unimported") if fact in {"modules", "subpackages"} else ()
    missing = [item for item in needed if item not in stated and item not in idle]
    odd = [site for site in sites if _is_nowhere(site, facts)]
    parts = [
        *([f"lacks {', '.join(missing)}, which the source needs"] if missing else []),
        *([f"names {s.hole.value}, which the source does not have" for s in odd]),
    ]
    right = frozenset(site.line for site in sites if site.hole.value in needed)
    altered = {
        place: None
        for item in missing
        for place in reading.resembling(sites[0].entry, item, but=right)
    }
    places = list(dict.fromkeys([*(site.place for site in odd), *altered])) or [sites[0].place]
    return _row(
        fact,
        ok=not parts,
        message=f"the list of {fact} {' and '.join(parts) or 'holds all that the source needs'}",
        places=(*places, *(_origin(facts, fact)[:1] if parts else ())),
        hint="Add what is missing at the end of the list.",
    )


def _is_nowhere(site: Site, facts: Facts) -> bool:
    """Return whether an item names a directory that the source does not have."""
    fact, value = site.hole.fact, site.hole.value
    if fact == "submodules":  # the host's checkout would stop
        return value not in facts.items(fact)
    if fact != "includes" or "files" not in facts.facts:
        return False
    # What lies in a submodule is not among the source's own files.
    known = (*facts.items("files"), *facts.items("includes"))
    inside = (f"{path}/" for path in facts.items("submodules"))
    return not value.startswith(tuple(inside)) and not any(
        path == value or path.startswith(f"{value}/") for path in known
    )


def _scalar(sites: tuple[Site, ...], facts: Facts) -> Row:
    fact = sites[0].hole.fact
    value = facts.scalar(fact)
    if value is None:
        return _told(fact, sites)
    odd = [site for site in sites if site.hole.value != value[: site.hole.length]]
    return _row(
        fact,
        ok=not odd,
        message=f"<{fact}> is {value} in the source"
        + "".join(f"; the host says {site.hole.value}" for site in odd),
        places=tuple(site.place for site in odd or sites[:1]),
        hint="`dgpin bump` with the pinned commit writes the right value.",
    )


def failed(rows: tuple[Row, ...]) -> Iterator[Row]:
    """Yield the rows that are findings."""
    return (row for row in rows if row.verdict.is_finding)
