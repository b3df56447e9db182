"""The screen of `dgpin verify`."""

import json

import pytest

from dgpin.render import verify as shown
from dgpin.render.terminal import plain
from dgpin.verdict import Place, Row, Verdict
from dgpin.verify.answer import Answer, Point, Step, Verified

LONG = "a message that says a good deal more than there is room for on one line of a screen " * 3


LOGITS = "deep_gemm/include/deep_gemm/impls/sm90_fp8_paged_mqa_logits.cuh"


def _rows(count: int, verdict: Verdict, path: str = LOGITS) -> tuple[Row, ...]:
    place = Place(path, 243)
    return tuple(
        Row(f"rule-{number}", verdict, LONG, (place, place), "Mend it.") for number in range(count)
    )


def _verified(*answers: Answer) -> Verified:
    return Verified(
        host="/host",
        old=Point(repo="https://github.com/a/DeepGEMM", commit="1" * 40, given="/a/build"),
        new=Point(repo="https://github.com/b/DeepGEMM", commit="2" * 40),
        required=("sm_90",),
        architectures=(Row("sm_90", Verdict.UNKNOWN, "not proved: no GPU", (), "Elsewhere."),),
        answers=answers,
        when="2026-01-01T00:00:00Z",
        seconds=1.25,
    )


@pytest.mark.parametrize("path", [LOGITS, f"a/{'long' * 60}.cuh", "a" * 200, "a" * 200 + "/b"])
@pytest.mark.parametrize("verdict", [Verdict.FAIL, Verdict.UNKNOWN, Verdict.PASS])
def test_it_fits_one_screen(verdict: Verdict, path: str) -> None:
    """Six steps with a hundred long rows each are at most forty lines of a hundred columns."""
    answers = [
        Answer(step=step, verdict=verdict, summary=LONG, rows=_rows(100, verdict, path), more=LONG)
        for step in Step
    ]

    lines = plain(shown.text(_verified(*answers))).splitlines()

    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100


def test_a_block() -> None:
    """Verdict and summary, the three worst, and how to see the rest."""
    rows = (*_rows(5, Verdict.FAIL), Row("fine", Verdict.PASS, "fine"))
    answer = Answer(
        step=Step.CARRY, verdict=Verdict.FAIL, summary="5 lost", rows=rows, more="dgpin carry A B"
    )

    block = plain(shown.text(_verified(answer))).splitlines()[2:-2]

    assert ["FAIL    carry     5 lost", "          and 2 more: dgpin carry A B"] == block[::4]
    assert all("…  …/sm90_fp8_paged_mqa_logits.cuh:243 +1" in line for line in block[1:4])


def test_a_step_that_passed_is_one_line() -> None:
    """There is nothing to see."""
    answer = Answer(
        step=Step.LINT, verdict=Verdict.PASS, summary="no error", rows=(), more="dgpin lint"
    )

    assert "pass    lint      no error" in plain(shown.text(_verified(answer))).splitlines()


def test_new_packages_are_shown_though_nothing_is_wrong() -> None:
    """Whoever builds the image must know them."""
    row = Row("packages", Verdict.PASS, "also needs elfutils-devel (rpm)")
    answer = Answer(step=Step.CHECK, verdict=Verdict.PASS, summary="fine", rows=(row,))

    assert "elfutils-devel" in plain(shown.text(_verified(answer)))


def test_the_last_lines() -> None:
    """The verdict names the steps behind it, and what is not proved and why."""
    answers = [
        Answer(step=Step.CHECK, verdict=Verdict.FAIL, summary=""),
        Answer(step=Step.LINT, verdict=Verdict.PASS, summary=""),
        Answer(step=Step.BUILD, verdict=Verdict.UNKNOWN, summary=""),
    ]

    last = plain(shown.text(_verified(*answers))).splitlines()[-2:]

    assert [
        "verdict FAIL      in check; pass: lint; unknown: build  (1.2 s)",
        "          not proved on sm_90: no GPU; `dgpin ci` writes the pipeline",
    ] == last


def test_the_evidence_is_the_commands_own() -> None:
    """JSON carries what each command would have written, with its schema."""
    evidence = {"schema": "dgpin/carry/1", "dgpin": "0"}
    answer = Answer(step=Step.CARRY, verdict=Verdict.PASS, summary="", evidence=evidence)

    value = json.loads(str(shown.renderers(_verified(answer))["json"]()))

    assert "dgpin/verify/1" == value["schema"]
    assert evidence == value["steps"][0]["evidence"]
