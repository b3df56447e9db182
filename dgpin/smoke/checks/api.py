"""Names and keywords that the host uses, against the build as it is loaded."""

import importlib
from collections.abc import Iterator, Sequence
from typing import Any

from dgpin.smoke import signatures
from dgpin.smoke.bench import Bench
from dgpin.smoke.case import Check, Outcome
from dgpin.smoke.references import Build
from dgpin.smoke.wanted import Wanted

CHECK = Check(
    id="api",
    guards="a function or a keyword that the host passes was removed or renamed",
    call="getattr(deep_gemm, name); the parameters of each function",
    reference="every name there, every keyword taken",
    arches=("sm_90", "sm_100", "sm_103", "sm_120"),
    limit=0,
    floor=0,
    metric="missing",
    ran_on=("sm_90",),
    seconds=0.1,
)


def run(bench: Bench) -> Outcome:
    """Count what is missing; the controls ask for a name and for keywords that nobody has."""
    build, needs = bench.build, bench.needs
    broken = list(missing(build, needs.functions))
    nobody = [Wanted(spellings=("no_such_name",))]
    controls = {"a name that nobody has": len(list(missing(build, nobody)))}
    told = [each for each in needs.functions if each.keywords and _is_told(build, each)]
    if told:
        asked = [Wanted(spellings=each.spellings, keywords=("no_such_word",)) for each in told]
        controls["a keyword that nobody has"] = len(list(missing(build, asked)))
    return Outcome(
        number=len(broken),
        controls=controls,
        broken=tuple(broken),
        notes={
            "host": needs.host,
            "absent_optional": [name for name in needs.optional if found(build, name) is None],
            "keywords_not_told": [
                each.spellings[0] for each in needs.functions if each.keywords and each not in told
            ],
        },
    )


def missing(build: Build, functions: Sequence[Wanted]) -> Iterator[str]:
    """Yield what is not there, a sentence for each name and each keyword.

    Of several spellings the first that is there counts, as it does for the host; a function that
    is absent has no keywords to lack.
    """
    for each in functions:
        function = _first(build, each)
        if function is None:
            yield f"no {' or '.join(each.spellings)}"
            continue
        for word in each.keywords:
            if signatures.lacks(function, word):
                yield f"{each.spellings[0]} has no {word}"


def found(build: Build, path: str) -> Any:  # noqa: ANN401 - a function, or a module
    """Return what a path below the package names, in a module of it if need be; None for none."""
    here = build
    for name in path.split("."):
        if not hasattr(here, name):
            try:
                importlib.import_module(f"{getattr(here, '__name__', '')}.{name}")
            except ImportError:
                return None
        here = getattr(here, name, None)
    return here


def _first(build: Build, each: Wanted) -> Any:  # noqa: ANN401 - as above
    there = (found(build, path) for path in each.spellings)
    return next((function for function in there if function is not None), None)


def _is_told(build: Build, each: Wanted) -> bool:
    function = _first(build, each)
    return function is not None and signatures.lacks(function, "no_such_word")
