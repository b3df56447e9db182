"""`dgpin carry` on a history made here: upstream, a fork of six commits, a squashed release."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import dgpin
from dgpin.cli.app import main
from dgpin.source import sides
from dgpin.source.git import open_mirror
from tests import gitrepo
from tests.gitrepo import Repo

SCHEDULER = """\
#include <common.cuh>

template <uint32_t kNumThreads>
void schedule(const uint32_t batch_size, const uint32_t* lens, uint32_t* metadata) {
    const uint32_t lane_idx = get_lane_idx();
    uint32_t lo = 0, hi = batch_size;
    while (lo < hi) {
        const uint32_t mid = (lo + hi) / 2;
        const bool is_left = lens[mid] <= lane_idx;
        lo = is_left ? mid + 1 : lo;
        hi = is_left ? hi : mid;
    }
    const uint32_t q_idx = lo;
    metadata[lane_idx] = q_idx;
}
"""
LOGITS = """\
#include <scheduler/schedule.cuh>

void logits(const uint32_t num_heads, const float* weights, float* out) {
    const uint32_t warp_idx = get_warp_idx();
    for (uint32_t head = warp_idx; head < num_heads; head += 4) {
        float sum = load_weight(weights, head);
        out[head] = sum * scale_of(head);
    }
    __syncwarp();
    store_result(out, warp_idx);
}
"""
UTIL = """\
#pragma once

int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

int align_up(int a, int b) {
    return ceil_div(a, b) * b;
}
"""
KERNEL = """\
void sm120_logits(const float* weights, float* out) {
    const uint32_t lane_idx = get_lane_idx();
    out[lane_idx] = weights[lane_idx] * 2.0f;
    notify_consumer(out, lane_idx);
}
"""
BASE = {
    "csrc/python_api.cpp": "int api() { return version_number(); }\n",
    "include/scheduler/schedule.cuh": SCHEDULER,
    "include/impls/sm90_logits.cuh": LOGITS,
    "include/common/util.cuh": UTIL,
}
CLAMP = "    const uint32_t q_idx = min(lo, batch_size - 1);\n"
GUARD = "        if (head < num_heads and weights != nullptr) {\n"
COMMENT = "// Rounds up, as torch does for a shape that has a tail.\n"


@dataclass(frozen=True)
class History:
    """The repository and its three ends."""

    repo: Repo
    upstream: str
    fork: str
    commits: dict[str, str]


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> History:
    """Upstream dropped a barrier; the fork took it back, and made five more changes."""
    repo = gitrepo.make(tmp_path_factory.mktemp("history"))
    repo.commit("Start", BASE)
    logits = "include/impls/sm90_logits.cuh"
    repo.commit("Drop a barrier", {logits: LOGITS.replace("    __syncwarp();\n", "")})
    upstream = repo.git("rev-parse", "HEAD")
    repo.git("branch", "upstream")
    repo.git("checkout", "-q", "-b", "fork")
    made = {}
    clamped = SCHEDULER.replace("    const uint32_t q_idx = lo;\n", CLAMP)
    scheduler = "include/scheduler/schedule.cuh"
    made["clamp"] = repo.commit("Clamp the index of an empty batch", {scheduler: clamped})
    guarded = (
        (repo.root / logits)
        .read_text()
        .replace(
            "        out[head] = sum * scale_of(head);\n",
            f"{GUARD}            out[head] = sum * scale_of(head);\n        }}\n",
        )
    )
    made["guard"] = repo.commit("Guard against missing weights", {logits: guarded})
    made["kernel"] = repo.commit("Add SM120", {"include/impls/sm120_logits.cuh": KERNEL})
    repo.git("mv", "include/common/util.cuh", "include/common/math.cuh")
    made["rename"] = repo.commit("Rename a header")
    commented = UTIL.replace("int align_up", f"{COMMENT}int align_up")
    made["comment"] = repo.commit("Explain", {"include/common/math.cuh": commented})
    restored = guarded.replace("    store_result", "    __syncwarp();\n    store_result")
    made["revert"] = repo.commit('Revert "Drop a barrier"', {logits: restored})
    return History(repo=repo, upstream=upstream, fork="fork", commits=made)


def _release(history: History, name: str, files: dict[str, str], *, remove: tuple[str, ...]) -> str:
    """Make a squashed release: the fork's tree with changes, and no parent."""
    repo = history.repo
    repo.git("checkout", "-q", "--orphan", name, history.fork)
    repo.commit("Release", files, remove=remove)
    repo.git("checkout", "-q", history.fork)
    return name


def _run(
    capsys: pytest.CaptureFixture[str], old: str, new: str, *words: str
) -> tuple[int, dict[str, Any]]:
    code = main(["carry", old, new, *words, "--json"])
    out, err = capsys.readouterr()
    assert "" == err
    answer: dict[str, Any] = json.loads(out)
    return code, answer


def _named(history: History, answer: dict[str, Any]) -> list[tuple[str, bool, bool]]:
    names = {sha: name for name, sha in history.commits.items()}
    return [(names[loss["id"]], loss["fix"], loss["changed"]) for loss in answer["losses"]]


@pytest.fixture
def lossy(history: History) -> str:
    """A release that carries the guard, deeper and in a helper, and the comment in other words."""
    logits = (history.repo.root / "include/impls/sm90_logits.cuh").read_text()
    moved = logits.replace(GUARD, f"    {GUARD}").replace("    __syncwarp();\n", "")
    math = UTIL.replace("int align_up", COMMENT.replace("a tail", "tails") + "int align_up")
    files = {
        "include/scheduler/sm90_schedule.cuh": SCHEDULER,
        "include/impls/sm90_logits.cuh": moved,
        "include/common/math.cuh": math,
    }
    gone = ("include/impls/sm120_logits.cuh", "include/scheduler/schedule.cuh")
    name = "lossy"
    if name not in history.repo.git("branch", "--list", name):
        _release(history, name, files, remove=gone)
    return name


def test_exactly_what_is_lost(
    history: History, lossy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The clamp and the reverted revert are lost, the kernel was dropped, the comment changed."""
    where = ("--repo", str(history.repo.root), "--upstream", "upstream")
    code, answer = _run(capsys, history.fork, lossy, *where)

    assert 1 == code
    assert [
        ("clamp", True, False),
        ("revert", True, False),
        ("comment", False, True),
    ] == _named(history, answer)
    assert [("architecture", "sm_120", 4, [history.commits["kernel"]])] == [
        (family["kind"], family["name"], family["lines"], family["commits"])
        for family in answer["families"]
    ]
    assert ([], []) == (answer["left_out"], answer["not_compared"])


def test_where_the_clamp_would_stand(
    history: History, lossy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A lost line is shown with its place in the renamed file, its function and what is there."""
    where = ("--repo", str(history.repo.root), "--upstream", "upstream")
    _, answer = _run(capsys, history.fork, lossy, *where)
    clamp = answer["losses"][0]

    assert [
        {
            "here": {"path": "include/scheduler/schedule.cuh", "line": 13},
            "text": CLAMP.strip(),
            "fate": "lost",
            "there": {"path": "include/scheduler/sm90_schedule.cuh", "line": 13},
            "function": "schedule",
            "now": "const uint32_t q_idx = lo;",
            "telling": True,
        }
    ] == clamp["lines"]
    assert (1, 0, "Clamp the index of an empty batch", "Ada") == (
        clamp["living"],
        clamp["surviving"],
        clamp["commit"]["subject"],
        clamp["commit"]["author"],
    )


def test_without_history(
    history: History, lossy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two directories tell the same lines, hunk by hunk; nothing tells there what went back."""
    for name in (history.fork, lossy):
        (tmp_path / name).mkdir()
        listed = history.repo.git("ls-tree", "-r", "--name-only", name).split("\n")
        for path in listed:
            target = tmp_path / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(history.repo.git("show", f"{name}:{path}"))

    code, answer = _run(capsys, str(tmp_path / history.fork), str(tmp_path / lossy))

    lost = {line["text"] for loss in answer["losses"] for line in loss["lines"]}
    assert 1 == code
    assert {CLAMP.strip(), "__syncwarp();", COMMENT.strip()} == lost
    assert ["sm_120"] == [family["name"] for family in answer["families"]]


def test_a_change_of_the_clamp_is_not_its_loss(
    history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line that the new source changed again is shown as changed, and is no finding."""
    clamped = SCHEDULER.replace(
        "    const uint32_t q_idx = lo;\n", "    const uint32_t q_idx = min(lo, batch_size - 2);\n"
    )
    _release(history, "changed", {"include/scheduler/schedule.cuh": clamped}, remove=())
    where = ("--repo", str(history.repo.root), "--upstream", "upstream")

    code, answer = _run(capsys, history.fork, "changed", *where)

    assert (0, [("clamp", False, True)]) == (code, _named(history, answer))


def test_nothing_is_lost_to_the_fork_itself(
    history: History, capsys: pytest.CaptureFixture[str]
) -> None:
    """A squashed release that carries everything loses nothing."""
    _release(history, "whole", {}, remove=())
    where = ("--repo", str(history.repo.root), "--upstream", "upstream")

    code, answer = _run(capsys, history.fork, "whole", *where)

    assert (0, [], []) == (code, answer["losses"], answer["families"])


def test_patch_under_another_id(history: History, capsys: pytest.CaptureFixture[str]) -> None:
    """A commit that the new source picked and then rewrote is left out, and named as such."""
    repo = history.repo
    repo.git("checkout", "-q", "-b", "picked", "upstream")
    repo.git("cherry-pick", history.commits["clamp"])
    repo.commit("Rewrite", {"include/scheduler/schedule.cuh": SCHEDULER.replace("lo", "low")})
    repo.git("checkout", "-q", history.fork)
    where = ("--repo", str(repo.root), "--upstream", "upstream")

    _, answer = _run(capsys, history.fork, "picked", *where)

    assert [history.commits["clamp"]] == [commit["sha"] for commit in answer["left_out"]]
    assert "clamp" not in [name for name, _, _ in _named(history, answer)]


def test_upstream_counts_for_nothing(
    history: History, lossy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without an upstream every commit of the old source counts, the first one too."""
    _, answer = _run(capsys, history.fork, lossy, "--repo", str(history.repo.root))

    assert "" == (answer["upstream"] or "")
    assert history.commits["clamp"] == answer["losses"][0]["id"]


def test_accepted(
    history: History,
    lossy: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What dgpin.toml accepts is shown with its reason and is no finding; until its day."""
    monkeypatch.chdir(tmp_path)
    where = ("--repo", str(history.repo.root), "--upstream", "upstream")

    def run(*entries: str) -> tuple[int, list[str | None]]:
        sites = '[sites]\n"x" = "<commit>"\n[carry]\n'
        (tmp_path / "dgpin.toml").write_text(f"{sites}accept = [{', '.join(entries)}]\n")
        code, answer = _run(capsys, history.fork, lossy, *where)
        return code, [loss["accepted"] for loss in answer["losses"][:2]]

    clamp = f'{{ name = "{history.commits["clamp"][:9]}", reason = "never empty here" }}'
    revert = f'name = "{history.commits["revert"]}", reason = "not needed"'

    assert (1, ["never empty here", None]) == run(clamp)
    assert (0, ["never empty here", "not needed"]) == run(clamp, f"{{ {revert} }}")
    assert (1, ["never empty here", None]) == run(clamp, f'{{ {revert}, expires = "2020-01-31" }}')


def test_text_and_markdown(
    history: History, lossy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Text and Markdown name the lost fix, its place, and the dropped architecture."""
    target = tmp_path / "carry.md"
    where = ["--repo", str(history.repo.root), "--upstream", "upstream"]
    main(["carry", history.fork, lossy, *where, "-o", "text", "-o", f"markdown={target}"])
    text, markdown = capsys.readouterr().out, target.read_text()

    assert f"  {history.commits['clamp'][:12]}  2026-01-03  Ada  Clamp the index" in text
    assert "       13 - const uint32_t q_idx = min(lo, batch_size - 1);\n" in text
    assert "       13 + const uint32_t q_idx = lo;  in schedule\n" in text
    assert "  architecture sm_120  1 file, 4 lines, 1 commit\n" in text
    assert (
        "2 changes that look like a fix are lost, 1 family dropped, 1 change changed again" in text
    )
    assert "`include/scheduler/sm90_schedule.cuh:13`, now `const uint32_t q_idx = lo;`" in markdown


def test_other_repository(
    history: History, lossy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The new side can be a checkout without history; it tells what a commit would."""
    clone = tmp_path / "release"
    history.repo.git("worktree", "add", "--quiet", "--detach", str(clone), lossy)
    where = ("--repo", str(history.repo.root), "--upstream", "upstream")

    _, with_commit = _run(capsys, history.fork, lossy, *where)
    _, with_directory = _run(capsys, history.fork, str(clone), *where)
    history.repo.git("worktree", "remove", "--force", str(clone))

    assert with_commit["losses"] == with_directory["losses"]


def test_unknown_ref(history: History, capsys: pytest.CaptureFixture[str]) -> None:
    """A side that is neither a directory nor a ref is refused with what it could be."""
    for side, says in (("nowhere", "has no commit, branch or tag `nowhere`"), ("", "is empty")):
        assert 2 == main(["carry", "fork", side, "--repo", str(history.repo.root)])
        assert says in capsys.readouterr().err


@pytest.mark.parametrize("side", ["/no/such/place", "./none", "../none", "~none/x"])
def test_a_directory_that_is_not_there(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    side: str,
) -> None:
    """What is written as a path is one, wherever the command is run; no repository is asked."""
    monkeypatch.chdir(tmp_path)

    assert 2 == main(["carry", side, "."])
    assert f"dgpin: {side.removeprefix('./')} is not a directory\n" in capsys.readouterr().err


@pytest.mark.parametrize("turned", [False, True])
def test_sides_with_nothing_in_common(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *, turned: bool
) -> None:
    """That nothing of a directory can be missed in another is no pass."""
    for path in ("old/include/a.cuh", "new/docs/a.cuh", "none/README.md"):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text("int q_idx = min(lo, batch_size - 1);\n")

    for other in ("new", "none"):
        names = [str(tmp_path / "old"), str(tmp_path / other)]
        assert 3 == main(["carry", *(names[::-1] if turned else names)])
        out, err = capsys.readouterr()
        assert ("", True) == (out, "have no directory in common that holds a source file" in err)


def test_schema(history: History, lossy: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The JSON follows its schema."""
    path = Path(dgpin.__file__).parent / "render/schemas/carry.json"
    _, answer = _run(capsys, history.fork, lossy, "--repo", str(history.repo.root))

    jsonschema.validate(answer, json.loads(path.read_text()))
    assert answer["losses"]
    assert answer["families"]
    assert history.repo.git("rev-parse", lossy).strip() == answer["new_commit"]


@pytest.mark.parametrize("words", [(), ("--upstream", "upstream"), ("--upstream", "fork")])
def test_a_commit_loses_nothing_to_itself(
    history: History, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    """The same commit on both sides, or as its own upstream, is no error."""
    new = "lossy" if "fork" in words else history.fork
    code, answer = _run(capsys, history.fork, new, "--repo", str(history.repo.root), *words)

    assert (0, [], []) == (code, answer["losses"], answer["families"])


def test_offline_without_contents(
    history: History, lossy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mirror that only knows the commits says so: what is not there is not lost."""
    monkeypatch.setenv("DGPIN_CACHE_DIR", str(tmp_path / "cache"))
    repo = str(history.repo.root)
    mirror = open_mirror(repo, fetch=True)
    words = ["carry", history.fork, lossy, "--repo", repo, "--offline"]

    assert 3 == main(words)
    for side in (history.fork, lossy):
        sha = history.repo.git("rev-parse", side)
        assert sides.of_commit(mirror, sha, label=side).texts
    assert 3 == main(words)
    mirror.bring_history(history.repo.git("rev-parse", history.fork))
    assert 1 == main(words)
