"""What a tool named, held against the corpus."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dgpin.api.change import Level
from dgpin.api.rules import BY_ID
from tests.api.corpus.case import Case

# What a piece of the corpus defines: Python, pybind11, a schema.
_DEFINES = re.compile(
    r"^(?:async def|def|class) (\w+)|^([A-Z]\w*) =|^from \S+ import (\w+)$|^(\w+)(?:\.\w+)?\(.*->"
    r'|m\.def\("(\w+)"|m, "(\w+)"|m\.attr\("(\w+)"\) =',
    re.MULTILINE,
)
_NOTICED = {Level.BREAKING, Level.RISKY}


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Which kinds a tool found, which it missed, and which it reported for nothing."""

    found: tuple[Case, ...]
    missed: tuple[Case, ...]
    false: tuple[Case, ...]
    quiet: int


def score(cases: Sequence[Case], said: Iterable[str]) -> Score:
    """Return the score of a tool that reported these dotted names, `deep_gemm.` left out.

    A kind is found when every symbol it concerns is named, or one that its code defines; a kind
    that no caller notices is a false finding when it is named at all.
    """
    roots = {root(name) for name in said}
    noticed = [case for case in cases if is_noticed(case)]
    silent = [case for case in cases if not is_noticed(case)]
    found = tuple(case for case in noticed if _is_found(case, roots))
    return Score(
        found=found,
        missed=tuple(case for case in noticed if case not in found),
        false=tuple(case for case in silent if (_concerned(case) | _defined(case)) & roots),
        quiet=len(silent),
    )


def strays(cases: Iterable[Case], said: Iterable[str]) -> set[str]:
    """Return what a tool reported that belongs to no kind of change."""
    known = {name for case in cases for name in _concerned(case) | _defined(case, after=True)}
    return {name for name in said if root(name) not in known}


def is_noticed(case: Case) -> bool:
    """Return whether a caller can notice this kind of change."""
    return any(BY_ID[rule].level in _NOTICED for rule, _, _ in case.finds)


def root(name: str) -> str:
    """Return the public name that a dotted name belongs to: `Cls` of `_C.Cls.method`."""
    parts = name.split(".")
    return next((part for part in parts if part not in {"deep_gemm", "_C", ""}), "")


def _is_found(case: Case, roots: set[str]) -> bool:
    return _concerned(case) <= roots or bool((_defined(case) - _concerned(case)) & roots)


def _concerned(case: Case) -> set[str]:
    return {root(name) for _, name, _ in case.finds}


def _defined(case: Case, *, after: bool = False) -> set[str]:
    text = f"{case.before}\n{case.after}" if after else case.before
    return {name for groups in _DEFINES.findall(text) for name in groups if name}
