"""What a call that breaks is to be changed to, and what it raises, by the signatures of A and B."""

from pathlib import Path

import pytest

from dgpin.api import compare
from dgpin.api.bind_findings import Consequence, Finding, impact
from dgpin.api.host.scan import scan
from dgpin.api.surface import Binding
from tests.api import surfaces


def found(
    folder: Path,
    a: tuple[str, ...],
    b: tuple[str, ...],
    body: str,
    *bindings: Binding,
) -> tuple[Finding, ...]:
    """Return what becomes of a function's body when `f(*a)` becomes `f(*b)`."""
    before, after = bindings or (Binding.PYBIND11, Binding.PYBIND11)
    text = f"import deep_gemm\n\n\ndef run(x, y=None):\n    {body}\n"
    (folder / "main.py").write_text(text)
    sides = (
        surfaces.surface(surfaces.function("f", *a, binding=before), label="A"),
        surfaces.surface(surfaces.function("f", *b, binding=after), label="B"),
    )
    return impact(scan(folder), compare.compare(*sides)).findings


CURES = {
    "one is gone": (("a", "u=1"), ("a",), "(x, u=1)", "Drop `u`."),
    "two are gone": (("a", "u=1", "v=1"), ("a",), "(x, u=1, v=1)", "Drop `u`. Drop `v`."),
    "one before another is gone": (
        ("a", "u: int=1", "v: int=1"),
        ("a", "v: int=1"),
        "(x, 1, 2)",
        "Drop `u`.",
    ),
    "it has a new name": (
        ("a", "sm: int"),
        ("a", "sms: int"),
        "(x, sm=1)",
        "Write sms= instead of sm=.",
    ),
    "one stands before it": (
        ("a", "b: int=1"),
        ("a", "mode: str='x'", "b: int=1"),
        "(x, 1)",
        "Pass `b` and what follows it by name: B has `mode` there.",
    ),
    "one that is required stands before it": (
        ("a", "b: int"),
        ("a", "n: int", "b: int"),
        "(x, 1)",
        "Pass `b` and what follows it by name, and `n`: B has `n` there.",
    ),
    "by name only": (("a", "b=1"), ("a", "*", "b=1"), "(x, 1)", "Pass `b` by name."),
    "one is required": (("a",), ("a", "n"), "(x)", "Pass `n`."),
    "another type": (
        ("a", "b: int | None"),
        ("a", "b: int"),
        "(x, b=None)",
        "Pass `b` as int.",
    ),
    "another type, with a default": (
        ("a", "b: int | None=None"),
        ("a", "b: int=0"),
        "(x, b=None)",
        "Pass `b` as int, or leave it out.",
    ),
}


@pytest.mark.parametrize(("a", "b", "call", "cure"), CURES.values(), ids=CURES)
def test_cure(tmp_path: Path, a: tuple[str, ...], b: tuple[str, ...], call: str, cure: str) -> None:
    """The edit is the one that makes the call bind with B."""
    (finding,) = found(tmp_path, a, b, f"deep_gemm.f{call}")

    assert (Consequence.CALL_RAISES, cure) == (finding.consequence, finding.cure)


TRIED = "try:\n        deep_gemm.f(x, u=1)\n    except TypeError:\n        pass"


def test_a_handler_that_runs_is_said(tmp_path: Path) -> None:
    """What a handler takes costs the first choice, every time."""
    (finding,) = found(tmp_path, ("a", "u=1"), ("a",), TRIED)

    assert finding.consequence is Consequence.CAUGHT
    assert finding.cure == "Drop `u`. Until then the handler runs every time."


@pytest.mark.parametrize("a", [("a", "u=1"), ("a",)], ids=["taken by A", "refused by A"])
def test_a_handler_for_another_binding(tmp_path: Path, a: tuple[str, ...]) -> None:
    """A torch op's RuntimeError goes by a handler that took the TypeError before it."""
    (finding,) = found(tmp_path, a, ("a",), TRIED, Binding.PYBIND11, Binding.TORCH)

    assert (Consequence.CALL_RAISES, "RuntimeError") == (finding.consequence, finding.exception)
    assert finding.cure == "Drop `u`."
    assert finding.escapes is not None


@pytest.mark.parametrize(("before", "after"), [("1.0", "1"), ("False", "0"), ("1e3", "1000")])
def test_one_number_in_two_spellings(tmp_path: Path, before: str, after: str) -> None:
    """A default that is written otherwise and is the same number is no other value."""
    assert () == found(tmp_path, ("a", f"b={before}"), ("a", f"b={after}"), "deep_gemm.f(x)")
