"""Names and keywords that the host uses, against the build as it is loaded."""

from dgpin.smoke import signatures, wanted
from dgpin.smoke.bench import Bench
from dgpin.smoke.case import Check, Outcome

CHECK = Check(
    id="api",
    guards="a function or a keyword that the host passes was removed or renamed",
    call="getattr(deep_gemm, name); the parameters of each function",
    reference="every name callable, every keyword there",
    arches=("sm_90", "sm_100", "sm_103", "sm_120"),
    limit=0,
    floor=0,
    metric="missing",
    ran_on=("sm_90",),
    seconds=0.1,
)


def run(bench: Bench) -> Outcome:
    """Count what is missing; the control asks for a keyword that nobody has."""
    names = missing_names(bench.build, wanted.NAMES)
    words = missing_keywords(bench.build, wanted.KEYWORDS)
    control = missing_keywords(bench.build, {"fp8_gemm_nt": ("no_such_keyword",)})
    broken = [f"no {name}" for name in names]
    broken += [f"{name} has no {', '.join(lost)}" for name, lost in words.items()]
    return Outcome(
        number=len(names) + sum(map(len, words.values())),
        controls={"a keyword that nobody has": len(control)},
        broken=tuple(broken),
        notes={"absent_optional": missing_names(bench.build, wanted.OPTIONAL)},
    )


def missing_names(build: object, names: tuple[str | tuple[str, ...], ...]) -> list[str]:
    """Return the names that are not callable; of a tuple of spellings, one is enough."""
    lost = []
    for entry in names:
        spellings = (entry,) if isinstance(entry, str) else entry
        if not any(callable(getattr(build, name, None)) for name in spellings):
            lost.append(" or ".join(spellings))
    return lost


def missing_keywords(
    build: object, wanted_of: dict[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """Return the keywords that each function lacks; functions that are absent do not count."""
    lost = {}
    for name, words in wanted_of.items():
        function = getattr(build, name, None)
        if not callable(function):
            continue
        gone = tuple(word for word in words if not signatures.has(function, word))
        if gone:
            lost[name] = gone
    return lost
