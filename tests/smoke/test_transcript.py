"""Events and exit codes become results."""

from typing import Any

import pytest

from dgpin.smoke.case import Check
from dgpin.smoke.transcript import Child, died, parse, results, sanitized, trouble
from dgpin.verdict import Verdict

FIELDS: dict[str, Any] = {
    "guards": "x",
    "call": "x",
    "reference": "x",
    "arches": ("sm_90",),
    "limit": 1e-6,
}
ONE, TWO = Check(id="one", **FIELDS), Check(id="two", **FIELDS)
LOADED: dict[str, Any] = {
    "event": "loaded",
    "torch": "2",
    "cuda": "13",
    "python": "3",
    "version": "2.8",
    "package": "p",
    "extension": "e",
    "arch": "sm_90",
    "gpu": "g",
    "names": [],
    "seconds": {},
}


def end(check: str, **fields: object) -> dict[str, Any]:
    """Return how a check ends that passes, unless the fields say otherwise."""
    told = {"seconds": 1.0, "cold_seconds": 0.5, "warm_ms": [], "kernels": [], "number": 0.0}
    return {"event": "end", "check": check, **told, "why": "", **fields}


def begin(check: str) -> dict[str, Any]:
    """Return how a check begins."""
    return {"event": "check", "check": check}


def child(*events: dict[str, Any], code: int | None = 0, out: str = "", err: str = "") -> Child:
    """Return a process that told these events."""
    return Child(events=(LOADED, *events), returncode=code, stdout=out, stderr=err)


def test_parse_leaves_out_what_was_cut() -> None:
    """A process that died in the middle of a line loses that line alone."""
    text = '{"event": "check", "check": "one"}\n{"event": "end", "che'

    assert [begin("one")] == list(parse(text))


def test_pass() -> None:
    """A check that ended without a complaint passes."""
    (result,) = results(child(begin("one"), end("one")), [ONE, TWO])

    assert (ONE, Verdict.PASS) == (result.check, result.verdict)


def test_each_check_has_its_own_output() -> None:
    """What one check printed explains no other."""
    out = (
        "@@ dgpin check one\nfatal error: cutlass/half.h: No such file\n"
        "@@ dgpin check two\nout of memory\n"
    )
    raised = "RuntimeError: it failed"
    events = [begin("one"), end("one", raised=raised), begin("two"), end("two", raised=raised)]
    first, second = results(child(*events, out=out), [ONE, TWO])

    assert first.explanation is not None
    assert second.explanation is not None
    assert ("missing-header", "out-of-memory") == (
        first.explanation.cause,
        second.explanation.cause,
    )


def test_last_check_takes_the_process_along() -> None:
    """The check that had begun and did not end is the one that crashed."""
    ended = child(
        begin("one"), end("one"), begin("two"), {"event": "call", "check": "two", "call": "f"},
        code=-11,
    )  # fmt: skip
    first, second = results(ended, [ONE, TWO])

    assert (Verdict.PASS, Verdict.CRASH) == (first.verdict, second.verdict)
    assert second.message.startswith("the process ended with -11 in f: ")


def test_killed_for_time() -> None:
    """A check that had to be killed, by its watchdog or from outside, ran out of time."""
    outside = child(begin("one"), code=None)
    inside = child(begin("one"), code=1, err="Timeout (0:01:00)!\nThread 0x1:\n  File ...")

    for ended in (outside, inside):
        assert Verdict.TIMEOUT is results(ended, [ONE])[0].verdict


def test_refusal() -> None:
    """Only a check that names a capability can be declined; others fail on the same words."""
    asking = Check(id="one", capabilities=("block_kv32",), refusals=(r"block_kv == 64",), **FIELDS)
    said = child(begin("one"), end("one", raised="RuntimeError: Assertion error: block_kv == 64"))

    assert Verdict.UNSUPPORTED is results(said, [asking])[0].verdict
    assert Verdict.FAIL is results(said, [ONE])[0].verdict
    needed = results(said, [asking], expected=frozenset({"block_kv32"}))[0]
    assert Verdict.FAIL is needed.verdict
    assert needed.message.startswith("the host needs block_kv32: ")


def test_missing_capability() -> None:
    """A function that is not there is unsupported where the build may lack it, else a failure."""
    raised = "AttributeError: module 'deep_gemm' has no attribute 'mega'"
    said = child(begin("one"), end("one", raised=raised))
    asking = Check(id="one", capabilities=("mega",), **FIELDS)

    assert Verdict.UNSUPPORTED is results(said, [asking])[0].verdict
    assert Verdict.FAIL is results(said, [ONE])[0].verdict


def test_bug_of_a_check() -> None:
    """An attribute that something else lacks is no answer of the build's."""
    raised = "AttributeError: 'Tensor' object has no attribute 'mega'"
    asking = Check(id="one", capabilities=("mega",), **FIELDS)

    assert (
        Verdict.FAIL is results(child(begin("one"), end("one", raised=raised)), [asking])[0].verdict
    )


def test_died_before_it_began() -> None:
    """A check that its process never reached is a crash, with all that was said."""
    found = died(TWO, child(begin("one"), end("one"), code=1, err="ImportError: two"))

    assert (Verdict.CRASH, "ImportError: two") == (found.verdict, found.raw)


def test_trouble() -> None:
    """A process that loaded nothing says where it broke; one that loaded has no trouble."""
    told = {"event": "broken", "where": "build", "raised": "ImportError: undefined symbol: _Z1f"}
    broken = Child(events=(told,), returncode=1, stdout="", stderr="")
    silent = Child(events=(), returncode=-11, stdout="", stderr="")

    found = trouble(broken)
    assert found is not None
    assert ("build", "abi") == (found.where, found.explanation.cause)
    quiet = trouble(silent)
    assert quiet is not None
    assert ("start", "segmentation-fault") == (quiet.where, quiet.explanation.cause)
    assert trouble(child()) is None


@pytest.mark.parametrize(
    ("said", "verdict", "message"),
    [
        ("", Verdict.PASS, ""),
        ("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors", Verdict.PASS, ""),
        (
            "========= Invalid __shared__ read of size 4 bytes\n=========     at f+0x10",
            Verdict.FAIL,
            "Invalid __shared__ read of size 4 bytes",
        ),
        (
            "========= Error: Race reported between Read access at f",
            Verdict.FAIL,
            "Race reported between Read access at f",
        ),
        (
            "========= Warning: Race reported between Read access at f",
            Verdict.PASS,
            "warning: Race reported between Read access at f",
        ),
        (
            "========= Internal Sanitizer Error: it failed to handle a hardware exception.",
            Verdict.UNKNOWN,
            "compute-sanitizer itself failed here",
        ),
    ],
)
def test_sanitized(said: str, verdict: Verdict, message: str) -> None:
    """What compute-sanitizer prints during a check is read as what it is."""
    ended = child(begin("one"), end("one"), out=f"@@ dgpin check one\n{said}\n")
    found = sanitized(results(ended, [ONE])[0], child=ended)

    assert (verdict, message) == (found.verdict, found.message)
