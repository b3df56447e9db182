"""Every kind of change in pure Python, on builds that are really loaded."""

from collections import Counter
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from dgpin.api import builds, diff
from dgpin.api.change import Change
from dgpin.api.diff import Question
from dgpin.api.report import Report
from dgpin.build.interpreter import Interpreter
from dgpin.verdict import Verdict
from tests.api.builds import python, write
from tests.api.corpus import python_kinds
from tests.api.corpus.case import Case, expected, found, joined

Compared = Callable[[Path, Path], Report]


@pytest.fixture(scope="module", name="interpreter")
def _interpreter(tmp_path_factory: pytest.TempPathFactory) -> Interpreter:
    return python(tmp_path_factory.mktemp("python"))


@pytest.fixture(scope="module", name="compared")
def _compared(interpreter: Interpreter, tmp_path_factory: pytest.TempPathFactory) -> Compared:
    def compared(a: Path, b: Path) -> Report:
        questions = [
            Question(named=builds.at(root, label=root.name), python=interpreter) for root in (a, b)
        ]
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("DGPIN_CACHE_DIR", str(cache))
            return diff.report(*questions, accepted=(), today=date(2026, 1, 1))

    cache = tmp_path_factory.mktemp("cache")
    return compared


@pytest.fixture(scope="module", name="pair")
def _pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    root = tmp_path_factory.mktemp("corpus")
    a, b = (
        write(
            root / side,
            {"deep_gemm/__init__.py": python_kinds.HEAD + joined(python_kinds.CASES, side)},
        )
        for side in ("before", "after")
    )
    return a, b


@pytest.fixture(scope="module", name="report")
def _report(pair: tuple[Path, Path], compared: Compared) -> Report:
    return compared(*pair)


@pytest.mark.parametrize("case", python_kinds.CASES, ids=lambda case: case.kind)
def test_kind(case: Case, report: Report) -> None:
    """Each kind of change gives its own findings."""
    names = {name for _, name, _ in case.finds}
    hits = {f for f in found(report.comparison) if f[1] in names}

    assert set(case.finds) == hits


def test_nothing_else(report: Report) -> None:
    """All kinds together give their findings and no other, each once."""
    assert expected(python_kinds.CASES) == found(report.comparison)
    rows = [(c.rule, c.path, c.parameter) for c in report.comparison.changes]
    assert [] == [row for row, times in Counter(rows).items() if times > 1]


def test_witnesses(report: Report) -> None:
    """Every break in Python has a call that was tried on both builds."""
    silent = {c.path: c.unwitnessed for c in report.comparison.breaking if c.witness is None}

    assert {} == silent


def test_back(pair: tuple[Path, Path], report: Report, compared: Compared) -> None:
    """What one way adds, the other way removes."""
    back = compared(*reversed(pair))

    assert _new(report) == _gone(back)
    assert _gone(report) == _new(back)


def test_itself(pair: tuple[Path, Path], compared: Compared) -> None:
    """A build does not differ from itself, and that is a pass."""
    report = compared(pair[0], pair[0])

    assert () == report.comparison.changes
    assert Verdict.PASS == report.verdict


GONE = ("symbol-", "alias-", "module-", "class-member-", "enum-member-", "constant-removed")


def _gone(report: Report) -> set[str]:
    return {n for c in report.comparison.changes if _is_gone(c) for n in c.names}


def _is_gone(change: Change) -> bool:
    return change.rule.startswith(GONE) and change.rule not in {"symbol-added", "constant-changed"}


def _new(report: Report) -> set[str]:
    added = {n for c in report.comparison.changes if c.rule == "symbol-added" for n in c.names}
    heirs = {
        c.successor.name
        for c in report.comparison.changes
        if c.successor is not None and _is_gone(c)
    }
    return added | {h for h in heirs if h not in report.comparison.a.by_path}


def test_name_that_is_made_when_it_is_asked_for(tmp_path: Path, compared: Compared) -> None:
    """A name that B does not list and gives all the same is not said to be gone."""
    hook = "def __getattr__(name):\n    if name[:3] == 'old':\n        return print\n"
    hook += "    raise AttributeError(name)\n"
    a = write(tmp_path / "a", {"deep_gemm/__init__.py": "def old_one(a): ...\n"})
    b = write(tmp_path / "b", {"deep_gemm/__init__.py": hook})
    report = compared(a, b)

    assert () == report.comparison.changes
    assert ["deep_gemm.old_one"] == [item.path for _, item in report.comparison.unreadable]
    assert report.comparison.b.is_unreadable("deep_gemm.old_one")
    assert Verdict.UNKNOWN is report.verdict
