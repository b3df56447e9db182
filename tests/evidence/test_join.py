"""Evidence of several machines joined into one verdict."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgpin.evidence.join import Joined, join
from dgpin.evidence.values import Kind
from dgpin.verdict import Verdict
from tests.evidence import documents
from tests.evidence.documents import check, pin_check, smoke

COMMIT = "ab" * 20


def _join(tmp_path: Path, *contents: object, required: tuple[str, ...] = ()) -> Joined:
    files = [documents.write(tmp_path / f"{n}.json", each) for n, each in enumerate(contents)]
    return join(files, required=required)


def _reasons(joined: Joined) -> dict[str, str]:
    return {Path(each.file).name: each.reason for each in joined.refused}


def test_three_machines(tmp_path: Path) -> None:
    """Each architecture has its own column, and a check that did not run there has no cell."""
    joined = _join(
        tmp_path,
        smoke("sm_90", check("gemm"), check("mixed0", "fail", number=0.22)),
        smoke("sm_100", check("gemm"), check("situ")),
        smoke("sm_120", check("gemm", "unsupported")),
    )

    assert ("sm_90", "sm_100", "sm_120") == joined.architectures
    assert ("gemm", "mixed0", "situ") == joined.checks
    assert [Verdict.FAIL, Verdict.PASS, Verdict.UNKNOWN] == [
        joined.on(name) for name in joined.architectures
    ]
    assert None is joined.cell("situ", "sm_90")
    assert Verdict.FAIL is joined.verdict


def test_older_build_and_damaged_file(tmp_path: Path) -> None:
    """Evidence of an older source and a damaged file are refused, each with its reason."""
    whole = json.dumps(smoke("sm_100", check("gemm")))
    joined = _join(
        tmp_path,
        smoke("sm_90", check("gemm")),
        smoke("sm_100", check("gemm"), headers=documents.OLDER, when="2026-08-01T00:00:00+00:00"),
        whole[: len(whole) // 2],
    )

    assert ("sm_90",) == joined.architectures
    assert {
        "1.json": "is evidence of another source: headers b2b2b2b2b2b2, version 2.8.0, "
        "not a1a1a1a1a1a1",
        "2.json": "is damaged: it is not JSON",
    } == _reasons(joined)
    assert Verdict.UNKNOWN is joined.verdict
    assert ["0.json"] == [Path(each.file).name for each in joined.attached]


@pytest.mark.parametrize(
    ("required", "verdict"),
    [
        ((), Verdict.FAIL),
        (("sm_100",), Verdict.PASS),
        (("sm_100", "sm_120"), Verdict.UNKNOWN),
        (("sm_90", "sm_100", "sm_120"), Verdict.FAIL),
    ],
)
def test_required(tmp_path: Path, required: tuple[str, ...], verdict: Verdict) -> None:
    """Of the required architectures a failure beats missing evidence, which beats a pass."""
    joined = _join(
        tmp_path,
        smoke("sm_90", check("gemm", "crash")),
        smoke("sm_100", check("gemm")),
        required=required,
    )

    assert verdict is joined.verdict


@pytest.mark.parametrize("verdict", ["fail", "crash", "timeout", "unknown", "unsupported", "skip"])
def test_worse_answer_stands(tmp_path: Path, verdict: str) -> None:
    """Of two runs on one architecture no pass hides what the other one found."""
    runs = [smoke("sm_90", check("gemm", verdict)), smoke("sm_90", check("gemm"))]

    for order in (runs, runs[::-1]):
        measured = _join(tmp_path, *order).cell("gemm", "sm_90")
        assert measured is not None
        assert verdict == measured.verdict.value


def test_nothing_ran(tmp_path: Path) -> None:
    """A run that could not start proves nothing."""
    joined = _join(tmp_path, smoke("sm_90"))

    assert (Verdict.UNKNOWN, Verdict.UNKNOWN) == (joined.on("sm_90"), joined.verdict)
    assert "there is no GPU" == joined.runs[0].blocked


def test_fact_that_failed(tmp_path: Path) -> None:
    """A fact that fails before anything runs fails the architecture."""
    run = smoke("sm_90", check("gemm"))
    run["facts"][0]["verdict"] = "fail"

    assert Verdict.FAIL is _join(tmp_path, run).on("sm_90")


def test_architecture_is_that_of_the_gpu(tmp_path: Path) -> None:
    """What was asked for is only a wish; the GPU that ran tells the architecture."""
    run = smoke("sm_90", check("gemm"))
    run["architecture"] = "sm_100"

    assert ("sm_90",) == _join(tmp_path, run).architectures


@pytest.mark.parametrize("number", ["nan", "inf", None, 0.5])
def test_numbers(tmp_path: Path, number: float | str | None) -> None:
    """Numbers that JSON cannot hold come as text, and none at all as null."""
    measured = _join(tmp_path, smoke("sm_90", check("gemm", number=number))).cell("gemm", "sm_90")

    assert measured is not None
    assert str(number) == str(measured.number)


def test_other_commands(tmp_path: Path) -> None:
    """A finding of another command fails the report, and is a section of it."""
    joined = _join(
        tmp_path, smoke("sm_90", check("gemm")), pin_check(COMMIT, verdict="fail"), pin_check(None)
    )

    assert (Verdict.FAIL, COMMIT) == (joined.verdict, joined.commit)
    assert [Kind.CHECK, Kind.CHECK] == [section.kind for section in joined.sections]
    assert (
        ("fail", "arches-covered", "the host enables sm_120, the source has no kernels",
         "vllm/platforms/cuda.py:9, all"),
    ) == joined.sections[0].rows  # fmt: skip


def test_call_sites(tmp_path: Path) -> None:
    """A comparison with a host has two sections: what changed, and which uses it reaches."""
    api, uses = _join(tmp_path, documents.diff_api(host=True)).sections

    assert (("breaking", "deep_gemm.gone", "the function is gone",
             "deep_gemm.gone: AttributeError", ""),) == api.rows  # fmt: skip
    assert ("Call sites", "1 of 40 uses are reached", Verdict.FAIL) == (
        uses.title,
        uses.summary,
        uses.verdict,
    )
    assert 1 == len(_join(tmp_path, documents.diff_api()).sections)


def test_evidence_of_verify(tmp_path: Path) -> None:
    """What verify wrote is all of its steps' evidence; what it could not do others may have."""
    written = documents.verify(
        check=pin_check(COMMIT), smoke=smoke("sm_90", check("gemm")), build=None
    )
    joined = _join(tmp_path, written, smoke("sm_100", check("gemm")))

    assert ("sm_90", "sm_100") == joined.architectures
    assert [Kind.VERIFY, Kind.CHECK] == [section.kind for section in joined.sections]
    assert Verdict.PASS is joined.verdict
    assert 2 == len(joined.attached)


def test_step_that_failed(tmp_path: Path) -> None:
    """A step of verify that failed fails the report, though it left no evidence."""
    written = documents.verify(check=None)
    written["steps"][0]["verdict"] = "fail"

    assert Verdict.FAIL is _join(tmp_path, smoke("sm_90", check("gemm")), written).verdict


def test_unknown_evidence_inside_verify(tmp_path: Path) -> None:
    """A step whose evidence this dgpin does not read makes the whole file one that it refuses."""
    joined = _join(tmp_path, documents.verify(check={"schema": "dgpin/check/9"}))

    assert "dgpin/check/9" in _reasons(joined)["0.json"]


def test_other_commit(tmp_path: Path) -> None:
    """A file about another commit than most is refused; a short one is the same commit."""
    joined = _join(tmp_path, pin_check("cd" * 20), pin_check(COMMIT), pin_check(COMMIT[:9]))

    assert COMMIT == joined.commit
    assert {"0.json": "is about another commit: cdcdcdcdcdcd, not abababababab"} == _reasons(joined)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "is damaged: it is not JSON"),
        ("[]", "is damaged: the document is not an object"),
        ("{}", "is damaged: schema is missing"),
        ('{"schema": 7}', "is damaged: schema is not a text"),
        (
            '{"schema": "dgpin/smoke/9"}',
            "has the schema 'dgpin/smoke/9', which this dgpin does not know",
        ),
        ('{"schema": "dgpin/smoke/1"}', "is damaged: run is missing"),
        ("[" * 100_000, "is damaged: it is not JSON"),
    ],
)
def test_refused(tmp_path: Path, content: str, reason: str) -> None:
    """Whatever is no evidence is refused with what is wrong and where."""
    assert {"0.json": reason} == _reasons(_join(tmp_path, content))


def test_missing_file(tmp_path: Path) -> None:
    """A file that is not there is refused as well."""
    joined = join([tmp_path / "none.json", tmp_path])

    assert ["cannot be read: No such file or directory", "cannot be read: Is a directory"] == [
        each.reason for each in joined.refused
    ]
    assert Verdict.UNKNOWN is joined.verdict


def _places(value: Any, where: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    found = [where] if where else []
    for key, item in items:
        found += _places(item, (*where, key))
    return found


WHOLE = smoke("sm_90", check("gemm"), check("mixed0", "fail"))


@given(st.sampled_from(_places(WHOLE)), st.sampled_from([None, 7, "x", [], {}, True]))
def test_damage_anywhere(tmp_path_factory: pytest.TempPathFactory, where: Any, put: Any) -> None:
    """Whatever stands anywhere in a file, reading it gives an answer or a refusal."""
    document = json.loads(json.dumps(WHOLE))
    target = document
    for key in where[:-1]:
        target = target[key]
    target[where[-1]] = put

    joined = _join(tmp_path_factory.mktemp("damage"), document)

    assert 1 == len(joined.runs) + len(joined.refused)
