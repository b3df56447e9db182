"""Evidence of several machines joined into one verdict."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgpin.evidence.join import Joined, join
from dgpin.evidence.values import Kind
from dgpin.render import report
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


@pytest.mark.parametrize(
    ("name", "evidence"),
    [
        ("check", documents.bump(COMMIT)),
        ("diff-api", documents.diff_api(host=True, accepted="not used")),
        ("lint", documents.lint("note")),
        ("carry", documents.carry(lost=False)),
    ],
)
def test_a_step_that_could_not_be_told_is_not_answered_by_what_it_left(
    tmp_path: Path, name: str, evidence: dict[str, Any]
) -> None:
    """Its own evidence looks like a pass; only that of another file is one."""
    written = documents.verify()
    written["steps"] = [documents.step(name, "unknown", evidence)]
    other = {**written, "host": "/other"}

    assert Verdict.UNKNOWN is _join(tmp_path, written).verdict
    assert Verdict.UNKNOWN is _join(tmp_path, written, other).verdict
    assert Verdict.PASS is _join(tmp_path, written, evidence).verdict


def test_what_verify_could_not_prove_needs_each_architecture(tmp_path: Path) -> None:
    """A run on one of them leaves the others open, unless they are not required."""
    written = documents.verify(unproved=("sm_90", "sm_100"), smoke=None)
    one, other = smoke("sm_90", check("gemm")), smoke("sm_100", check("gemm"))

    assert Verdict.UNKNOWN is _join(tmp_path, written, one).verdict
    assert Verdict.PASS is _join(tmp_path, written, one, required=("sm_90",)).verdict
    assert Verdict.PASS is _join(tmp_path, written, one, other).verdict


def test_a_preflight_is_answered_by_a_run(tmp_path: Path) -> None:
    """Nothing was compiled; what then ran elsewhere was."""
    preflight = documents.build()

    assert Verdict.UNKNOWN is _join(tmp_path, preflight).verdict
    assert Verdict.PASS is _join(tmp_path, preflight, smoke("sm_90", check("gemm"))).verdict


def test_what_smoke_did_not_call_proven_is_not(tmp_path: Path) -> None:
    """A run of some checks, of which each passed, is no proof of the whole core."""
    run = {**smoke("sm_90", check("gemm")), "proven": []}

    joined = _join(tmp_path, run)

    assert Verdict.UNKNOWN is joined.verdict
    assert "not proven on sm_90" == report.headline(joined)


@pytest.mark.parametrize("document", [documents.lint(), documents.diff_api(host=True)])
@pytest.mark.parametrize("made", ["untold", "skipped", "gone"])
def test_what_was_not_read_is_no_pass(tmp_path: Path, document: dict[str, Any], made: str) -> None:
    """A use that could not be told, or a file that could not be read, leaves the answer open."""
    document = json.loads(json.dumps(document))
    host = document.get("host", document)
    host["findings"], document["verdict"] = [], "pass"
    if made == "untold":
        host["untold"] = ["the reason"]
    else:
        skipped = {"path": "a.py", "reason": "no Python", "is_there": made == "skipped"}
        host["skipped"] = [skipped]

    expected = Verdict.PASS if made == "gone" else Verdict.UNKNOWN
    assert expected is _join(tmp_path, document).sections[-1].verdict


def test_a_use_that_is_accepted_is_no_finding(tmp_path: Path) -> None:
    """The reason stands beside it."""
    joined = _join(tmp_path, documents.diff_api(host=True, accepted="not used"))
    api, uses = joined.sections

    assert (Verdict.PASS, Verdict.PASS, Verdict.PASS) == (joined.verdict, api.verdict, uses.verdict)
    assert "not used" == uses.rows[0][-1]


def test_what_a_bump_found_is_not_left_out(tmp_path: Path) -> None:
    """A lost fix that nobody accepted, or a demand that the host does not meet, is a finding."""
    asks = documents.bump(COMMIT)
    asks["findings"] = pin_check(COMMIT, verdict="fail")["rows"]
    sound = documents.bump(COMMIT)
    lossy = documents.bump(COMMIT, lost=True)
    accepted = documents.bump(COMMIT, lost=True, accepted="not used")

    assert [Verdict.FAIL, Verdict.PASS, Verdict.FAIL, Verdict.PASS] == [
        _join(tmp_path, each).verdict for each in (asks, sound, lossy, accepted)
    ]
    assert "arches-covered: fail" == _join(tmp_path, asks).sections[0].rows[0][0]
    assert "Clamp" == _join(tmp_path, lossy).sections[1].rows[0][1]


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
        ("[]", "is no evidence: it names no schema"),
        ("{}", "is no evidence: it names no schema"),
        ('{"schema": 7}', "is damaged: schema is not a text"),
        (
            '{"schema": "dgpin/smoke/9"}',
            "has the schema 'dgpin/smoke/9', which this dgpin does not know: take a newer one",
        ),
        (
            '{"schema": "dgpin/show/1"}',
            (
                "has the schema 'dgpin/show/1', which is none of those of evidence: "
                "smoke, check, bump, diff-api, carry, build, lint, verify"
            ),
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


OTHER = "cd" * 20


@pytest.mark.parametrize("verdict", ["unknown", "skip", "unsupported"])
@pytest.mark.parametrize("made", ["check", "build", "diff-api", "verify"])
def test_what_could_not_be_told_is_no_pass(tmp_path: Path, made: str, verdict: str) -> None:
    """A section in which nothing passed, or something is unknown, leaves the answer open."""
    document: dict[str, Any] = {
        "check": pin_check(COMMIT, verdict=verdict),
        "build": documents.build(verdict),
        "diff-api": {**documents.diff_api(), "verdict": verdict},
        "verify": documents.verify(carry=None),
    }[made]
    if made == "verify":
        document["steps"][0]["verdict"] = verdict

    joined = _join(tmp_path, smoke("sm_90", check("gemm")), document)

    assert Verdict.UNKNOWN is joined.verdict
    assert f"{joined.sections[0].title.lower()}: open" in report.headline(joined)


def test_one_unknown_among_passes_is_no_pass(tmp_path: Path) -> None:
    """Neither among rows nor among builds does a pass hide what is unknown."""
    rows = pin_check(COMMIT)
    rows["rows"] += pin_check(COMMIT, verdict="unknown")["rows"]

    for document in (rows, documents.build("pass", "unknown")):
        assert Verdict.UNKNOWN is _join(tmp_path, document).verdict


def test_no_rows_are_no_pass(tmp_path: Path) -> None:
    """A check of nothing has told nothing."""
    assert Verdict.UNKNOWN is _join(tmp_path, {**pin_check(COMMIT), "rows": []}).verdict


@pytest.mark.parametrize("word", ["failed", "FAIL", "", "ok"])
def test_a_word_that_is_no_verdict_is_damage(tmp_path: Path, word: str) -> None:
    """It is not taken for anything, least of all for no finding."""
    joined = _join(tmp_path, pin_check(COMMIT, verdict=word), documents.build(word))

    assert {f"is damaged: {word!r} is no verdict"} == set(_reasons(joined).values())
    assert 2 == len(joined.refused)


def test_a_run_of_another_commit_is_refused(tmp_path: Path) -> None:
    """A build of another pin proves nothing of this one, though its headers are the same."""
    joined = _join(
        tmp_path,
        smoke("sm_90", check("gemm"), commit=OTHER),
        pin_check(COMMIT),
        documents.carry(commit=COMMIT, accepted="not used"),
    )

    assert {"0.json": f"is about another commit: {OTHER[:12]}, not {COMMIT[:12]}"} == _reasons(
        joined
    )
    assert ((), Verdict.UNKNOWN) == (joined.architectures, joined.verdict)


def test_the_newest_run_of_the_commit_tells_the_source(tmp_path: Path) -> None:
    """A later run of another commit does not make the right one the stranger."""
    joined = _join(
        tmp_path,
        smoke("sm_90", check("gemm"), commit=COMMIT),
        smoke("sm_100", check("gemm"), headers=documents.OLDER, commit=OTHER, when=LATER),
        pin_check(COMMIT),
    )

    assert (("sm_90",), documents.HEADERS) == (joined.architectures, joined.headers)
    assert ["1.json"] == list(_reasons(joined))


LATER = "2026-12-01T00:00:00Z"


def test_a_run_that_names_no_commit_is_said_to(tmp_path: Path) -> None:
    """What a wheel was built from nobody knows; the report does not claim that it is the pin."""
    silent = _join(tmp_path, smoke("sm_90", check("gemm")), pin_check(COMMIT))
    told = _join(tmp_path, smoke("sm_90", check("gemm"), commit=COMMIT), pin_check(COMMIT))

    assert "not every run tells that it is its own" in report.source(silent)
    assert report.source(told).startswith(f"commit {COMMIT[:12]}, version")


def test_the_steps_of_verify_are_about_its_commit(tmp_path: Path) -> None:
    """Those that name none are refused with it."""
    other = documents.verify(
        diff_api=documents.diff_api(host=True),
        smoke=smoke("sm_90", check("gemm")),
        carry=None,
        commit=OTHER,
    )

    joined = _join(tmp_path, pin_check(COMMIT), other, pin_check(COMMIT))

    assert ["1.json"] == [Path(each.file).name for each in joined.refused]
    assert [Kind.CHECK, Kind.CHECK] == [section.kind for section in joined.sections]
    assert () == joined.runs


@pytest.mark.parametrize(
    ("step", "answer"),
    [
        ("check", pin_check(COMMIT)),
        ("carry", documents.carry(accepted="not used")),
        ("build", smoke("sm_90", check("gemm"))),
        ("smoke", smoke("sm_90", check("gemm"))),
    ],
)
def test_an_open_step_is_answered_by_other_evidence(
    tmp_path: Path, step: str, answer: dict[str, Any]
) -> None:
    """What verify could not tell is open until another file tells it."""
    written = documents.verify()
    written["steps"] = [documents.step(step, "unknown")]

    assert Verdict.UNKNOWN is _join(tmp_path, written).verdict
    assert Verdict.PASS is _join(tmp_path, written, answer).verdict


def test_a_step_that_was_left_out_proves_nothing(tmp_path: Path) -> None:
    """Without a run there may be no findings; nothing is said to be proven."""
    written = documents.verify(smoke=None, lint=None)
    written["steps"][0]["verdict"], written["steps"][1]["verdict"] = "skip", "pass"

    joined = _join(tmp_path, written)

    assert "no findings, and nothing was run" == report.headline(joined)
    assert Verdict.UNKNOWN is _join(tmp_path, written, smoke("sm_90")).verdict


def test_what_was_not_loaded_did_not_pass(tmp_path: Path) -> None:
    """A pass without a loaded build, or of a run that was blocked, is none."""
    unloaded, blocked = smoke("sm_90", check("gemm")), smoke("sm_90", check("gemm"))
    unloaded["run"]["loaded"] = None
    blocked["blocked"] = "there is no GPU"

    assert ["is damaged: a check passed, and run.loaded is null"] == list(
        _reasons(_join(tmp_path, unloaded)).values()
    )
    assert Verdict.UNKNOWN is _join(tmp_path, blocked).verdict


@pytest.mark.parametrize(
    ("place", "value", "wanted"),
    [
        (("when",), "later", "when is not a date and time"),
        (("when",), "9999-12-31T23:59:59-12:00", "when is not a date and time"),
        (("build", "headers_sha256"), "a1a1", "build.headers_sha256 is not a SHA-256"),
        (("build", "commit"), "main", "build.commit is not a commit"),
        (("run", "checks", 0, "limit"), -1, "run.checks[0].limit is not an amount"),
        (("run", "checks", 0, "warm_ms"), ["nan"], "run.checks[0].warm_ms[0] is not an amount"),
        (
            ("run", "loaded", "architecture"),
            "sm_90 | pass",
            "run.loaded.architecture is not an architecture",
        ),
    ],
)
def test_names_have_their_form(
    tmp_path: Path, place: tuple[Any, ...], value: object, wanted: str
) -> None:
    """What the report compares or sorts by is what it should be, or the file is damaged."""
    run = smoke("sm_90", check("gemm"))
    target: Any = run
    for key in place[:-1]:
        target = target[key]
    target[place[-1]] = value

    assert [f"is damaged: {wanted}"] == list(_reasons(_join(tmp_path, run)).values())


def test_the_newest_is_told_across_time_zones(tmp_path: Path) -> None:
    """An offset from UTC counts: as a text the first of these is the greater."""
    joined = _join(
        tmp_path,
        smoke("sm_90", check("gemm"), headers=documents.OLDER, when="2026-09-20T12:00:00+09:00"),
        smoke("sm_90", check("gemm"), when="2026-09-20T10:00:00Z"),
    )

    assert documents.HEADERS == joined.headers


@pytest.mark.parametrize(
    ("fixes", "accepted", "verdict"),
    [(0, None, Verdict.FAIL), (1, "not used", Verdict.FAIL), (0, "not used", Verdict.PASS)],
)
def test_a_lost_fix_counts_whatever_the_sum_says(
    tmp_path: Path, fixes: int, accepted: str | None, verdict: Verdict
) -> None:
    """The losses are counted; a sum that says more is believed as well."""
    document = {**documents.carry(accepted=accepted), "fixes": fixes}

    assert verdict is _join(tmp_path, document).verdict


def test_a_build_with_changes_is_no_commits_build(tmp_path: Path) -> None:
    """It says so, and names no commit."""
    dirty = _join(tmp_path, documents.build("pass", commit=COMMIT, dirty=True))
    clean = _join(tmp_path, documents.build("pass", commit=COMMIT))

    assert ("", "NEW, with changes") == (dirty.commit, dirty.sections[0].summary)
    assert (COMMIT, "NEW") == (clean.commit, clean.sections[0].summary)


def test_a_comparison_with_another_commit_is_refused(tmp_path: Path) -> None:
    """Of sources, diff-api, carry and lint say which commit they looked at."""
    joined = _join(
        tmp_path,
        pin_check(COMMIT),
        pin_check(COMMIT),
        documents.diff_api(digest=OTHER),
        documents.carry(commit=OTHER),
        documents.lint(digest=OTHER),
        pin_check(COMMIT),
        pin_check(COMMIT),
    )

    assert ["2.json", "3.json", "4.json"] == list(_reasons(joined))


def test_a_commit_is_voted_on_by_files(tmp_path: Path) -> None:
    """A file with many parts is one file."""
    whole = documents.verify(
        check=pin_check(OTHER), carry=documents.carry(accepted="a"), commit=OTHER
    )

    assert COMMIT == _join(tmp_path, whole, pin_check(COMMIT), pin_check(COMMIT)).commit


@pytest.mark.parametrize("turned", [False, True])
def test_of_two_commits_that_of_the_newest_run_stands(tmp_path: Path, *, turned: bool) -> None:
    """Where as many files name either, the order in which they were given decides nothing."""
    files = [
        smoke("sm_90", check("gemm", "fail"), commit=COMMIT, when=LATER),
        smoke("sm_90", check("gemm"), commit=OTHER),
    ]

    joined = _join(tmp_path, *(files[::-1] if turned else files), required=("sm_90",))

    assert (COMMIT, Verdict.FAIL) == (joined.commit, joined.verdict)


def test_a_file_that_is_named_twice_counts_once(tmp_path: Path) -> None:
    """However it is spelled, it is one file, and has one vote."""
    one = documents.write(tmp_path / "a.json", smoke("sm_90", check("gemm"), commit=OTHER))
    others = [documents.write(tmp_path / f"{n}.json", pin_check(COMMIT)) for n in range(2)]
    gone = tmp_path / "gone.json"

    joined = join([one, tmp_path / "." / "a.json", one, *others, gone, gone])

    assert COMMIT == joined.commit
    assert ["gone.json", "a.json"] == [Path(each.file).name for each in joined.refused]


def test_verify_is_no_step_of_itself(tmp_path: Path) -> None:
    """Nor has it more steps than there are."""
    nested = documents.verify(check=documents.verify())
    many = documents.verify(check=pin_check(COMMIT))
    many["steps"] *= 10

    assert [
        "is damaged: verify is no step of itself",
        "is damaged: there are more steps than verify has",
    ] == list(_reasons(_join(tmp_path, nested, many)).values())


def test_a_file_without_an_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """No more is read than evidence has, whatever the file says of its size."""
    monkeypatch.setattr("dgpin.evidence.documents.LARGEST", 1_000)

    joined = join([Path("/dev/zero")])

    assert {"zero": "is too large to be evidence"} == _reasons(joined)
