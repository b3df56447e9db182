"""A bump from end to end: a small host, a small DeepGEMM, the real command line."""

import itertools
import json
import re
import shutil
from pathlib import Path

import pytest

from dgpin import process
from dgpin.cli import app
from tests.example import Example

LOST = ("--accept-loss", "sm_120", "--accept-loss", "deep_gemm.fp8_m_grouped_gemm_nt_masked")
SITES = [
    "cmake/external_projects/deepgemm.cmake",
    "docker/Dockerfile",
    "tools/build_deepgemm_C.py",
    "tools/install_deepgemm.sh",
]


@pytest.fixture(scope="session", name="cache")
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all tests here: what is in it never changes what is said."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(name="host")
def _host(tmp_path: Path, first: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a copy of the host."""
    monkeypatch.setenv("DGPIN_CACHE_DIR", str(cache))
    target = tmp_path / "host"
    shutil.copytree(first, target)
    monkeypatch.chdir(target)
    return target


def git(host: Path, *words: str) -> str:
    """Run git in the host."""
    return process.run(["git", "-C", host, *words]).check().text


def sites(host: Path) -> dict[str, bytes]:
    """Return the bytes of every site file."""
    return {path: (host / path).read_bytes() for path in SITES}


def dgpin(*words: str) -> int:
    """Run the command line in this process."""
    return app.main(words)


def test_a_bump_writes_every_site_and_nothing_else(host: Path, example: Example) -> None:
    """Four files say the new pin; no other file and no leftover is there."""
    assert dgpin("bump", example.commits["new"][:8], *LOST) == 0

    changed = git(host, "status", "--porcelain").split()[1::2]
    assert changed == SITES
    assert not (host / ".git/dgpin").exists()
    for path in (SITES[0], SITES[3]):
        assert example.commits["new"] in (host / path).read_text()
        assert example.commits["sm120"] not in (host / path).read_text()


def test_the_dry_run_s_diff_is_what_is_written(
    host: Path, example: Example, tmp_path: Path
) -> None:
    """`git apply` of the printed diff gives the bytes that the real run writes."""
    patch, before = tmp_path / "p.diff", sites(host)
    assert dgpin("bump", example.commits["new"], *LOST, "-n", "-o", f"diff={patch}") == 0
    assert sites(host) == before
    git(host, "apply", str(patch))
    applied = sites(host)
    git(host, "checkout", "-q", ".")

    dgpin("bump", example.commits["new"], *LOST)

    assert applied == sites(host)


def test_a_second_run_changes_nothing_and_says_so(
    host: Path, example: Example, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same command again is nothing to do, with what the new source still asks for."""
    dgpin("bump", example.commits["new"], *LOST)
    after = sites(host)
    capsys.readouterr()

    code = dgpin("bump", example.commits["new"], "--dirty")

    said = capsys.readouterr().out
    assert (code, sites(host)) == (0, after)
    assert "nothing to do" in said
    assert "the source needs GCC 13; the host declares 11.3" in said


def test_there_and_back_again(host: Path, example: Example) -> None:
    """Old, new, old: every value is back to the byte, every list is the same set."""
    before = sites(host)
    dgpin("bump", example.commits["new"], *LOST)
    dgpin("bump", example.commits["sm120"], "--dirty", *_lost_back(example))

    after = sites(host)

    assert after[SITES[3]] == before[SITES[3]]
    for path in SITES:
        assert sorted(after[path].split()) == sorted(before[path].split())


def _lost_back(example: Example) -> tuple[str, ...]:
    """Return what going back loses, as the refusal itself names it."""
    import io
    from contextlib import redirect_stderr

    said = io.StringIO()
    with redirect_stderr(said):
        dgpin("bump", example.commits["sm120"], "--dirty", "-n")
    words = said.getvalue().split()
    return tuple(
        word
        for flag, name in itertools.pairwise(words)
        if flag == "--accept-loss"
        for word in (flag, name)
    )


@pytest.mark.parametrize("ref", ["new", "v2.8.0", "main", "pull/7/head", "short"])
def test_every_way_to_name_the_commit(host: Path, example: Example, ref: str) -> None:
    """A full and a short SHA, a tag, a branch and a pull request's head."""
    named = {"new": example.commits["new"], "short": example.commits["new"][:7]}

    assert dgpin("bump", named.get(ref, ref), *LOST) == 0

    commit = "pull" if ref == "pull/7/head" else "new"
    assert example.commits[commit] in (host / SITES[3]).read_text()


def test_the_repository_moves_with_the_commit(host: Path, example: Example) -> None:
    """`--repo` changes both, in every site that states it."""
    code = dgpin("bump", example.commits["forked"], "--repo", example.fork, *LOST[2:])

    text = "".join((host / path).read_text() for path in SITES)
    assert code == 0
    assert text.count(f"{example.fork}.git") == 2
    assert example.url not in text


def test_a_note_is_written_above_the_commit(host: Path, example: Example) -> None:
    """`--note` replaces the stale words in both files."""
    dgpin("bump", example.commits["new"], *LOST, "--note", "Pinned to dev: 2.8.0.")

    for path in (SITES[0], SITES[3]):
        text = (host / path).read_text()
        assert "# Pinned to dev: 2.8.0.\n" in text
        assert "nv_dev" not in text


@pytest.mark.parametrize("signs", [False, True])
def test_commit_makes_one_commit_with_the_text_of_a_pull_request(
    host: Path, example: Example, signs: bool
) -> None:
    """Only the sites are in it; it is signed off where git's configuration asks for it."""
    git(host, "config", "format.signOff", str(signs).lower())
    git(host, "config", "user.name", "A")
    git(host, "config", "user.email", "a@example.org")
    (host / "other.txt").write_text("mine\n")
    git(host, "add", "other.txt")

    assert dgpin("bump", example.commits["new"], *LOST, "--commit") == 0

    message = git(host, "log", "-1", "--format=%B")
    assert git(host, "show", "--name-only", "--format=", "HEAD").split() == SITES
    assert message.startswith(f"Move DeepGEMM to {example.commits['new'][:8]}\n")
    assert ("Signed-off-by: A <a@example.org>" in message) == signs
    assert git(host, "status", "--porcelain") == "A  other.txt\n"


def test_json_has_a_schema_and_every_change(
    host: Path, example: Example, capsys: pytest.CaptureFixture[str]
) -> None:
    """The answer is versioned, and names old, new, changes, findings and losses."""
    dgpin("bump", example.commits["new"], *LOST, "-n", "--json")

    answer = json.loads(capsys.readouterr().out)

    assert answer["schema"] == "dgpin/bump/1"
    assert (answer["old"]["commit"], answer["new"]["commit"]) == (
        example.commits["sm120"],
        example.commits["new"],
    )
    assert {change["path"] for change in answer["changes"]} == set(SITES)
    assert "floor" in {row["rule"] for row in answer["findings"]}
    assert [loss["name"] for loss in answer["losses"]] == [LOST[1], LOST[3]]
    assert host.is_dir()


def test_github_gets_annotations_and_a_summary(
    host: Path,
    example: Example,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What the host must still do is annotated; the step summary is the pull request's text."""
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))

    dgpin("bump", example.commits["new"], *LOST, "-n", "-o", "github")

    said = capsys.readouterr().out.splitlines()
    assert 0 < len(said) <= 10
    assert all(line.startswith("::error file=") for line in said)
    assert "### Sites" in summary.read_text()
    assert host.is_dir()


def test_what_is_fetched_once_is_enough_offline(
    host: Path, example: Example, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--offline` uses the mirror and says since when it was not verified."""
    dgpin("bump", example.commits["new"], *LOST, "-n")
    capsys.readouterr()

    code = dgpin("bump", example.commits["new"], *LOST, "-n", "--offline")

    assert code == 0
    assert "not verified against the remote since" in capsys.readouterr().out
    assert host.is_dir()


def test_a_reading_command_reports_an_interrupted_bump(
    host: Path, example: Example, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a journal left behind, `check` and `show` say so and exit 3; the next bump heals it."""
    state = host / ".git/dgpin"
    state.mkdir()
    (state / "lock").touch()
    (state / "intent").write_bytes(b"torn")

    codes = (dgpin("check"), dgpin("show"), dgpin("bump", example.commits["new"], *LOST, "-n"))

    assert codes == (3, 3, 3)
    assert "a bump was interrupted" in capsys.readouterr().err
    assert dgpin("bump", example.commits["new"], *LOST) == 0
    assert dgpin("show") == 0
    assert not state.exists()


def test_a_host_without_git_is_bumped_too(host: Path, example: Example) -> None:
    """An unpacked sdist is a host: the lock lies in `.dgpin` and is gone afterwards."""
    shutil.rmtree(host / ".git")

    assert dgpin("bump", example.commits["new"], *LOST) == 0

    assert example.commits["new"] in (host / SITES[3]).read_text()
    assert not (host / ".dgpin").exists()


def test_init_writes_the_preset_and_check_reads_it(
    host: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file keeps the preset's comments, names the repository, and is not overwritten."""
    assert dgpin("init") == 0
    text = (host / "dgpin.toml").read_text()
    capsys.readouterr()

    again = dgpin("init")
    dgpin("check")

    said = capsys.readouterr()
    assert text.startswith("# vLLM 0.25")
    assert (again, "is there already" in said.err) == (2, True)
    assert "sites    dgpin.toml" in said.out


@pytest.mark.usefixtures("host")
def test_a_pull_request_speaks_of_the_repository_that_it_names(
    example: Example, capsys: pytest.CaptureFixture[str]
) -> None:
    """`#8` in a subject is DeepGEMM's: in the host it would be another, and `fixes #8` close it."""
    assert dgpin("bump", example.commits["new"], *LOST, "-n", "-o", "markdown") == 0

    text = capsys.readouterr().out
    assert "upstream/DeepGEMM#6)" in text
    assert re.search(r"(?<![\w])#[0-9]", text) is None


def test_init_names_only_files_that_state_the_pin(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a preset for any Dockerfile, those that say nothing of DeepGEMM are left out."""
    (tmp_path / "Dockerfile").write_text('FROM x\nARG DEEPGEMM_VERSION="v2.6.1"\n')
    (tmp_path / "docs.Dockerfile").write_text("FROM y\n")

    codes = [dgpin(command, "--host", str(tmp_path)) for command in ("init", "check")]

    assert [0, 0] == codes, capsys.readouterr()
    assert "docs.Dockerfile" not in (tmp_path / "dgpin.toml").read_text()


def test_a_copy_of_a_linked_work_tree_is_a_host_without_git(host: Path, example: Example) -> None:
    """Its `.git` names a directory that is elsewhere: an image's copy is such a one."""
    shutil.rmtree(host / ".git")
    (host / ".git").write_text("gitdir: /nowhere/worktrees/x\n")

    assert dgpin("bump", example.commits["new"], *LOST) == 0

    assert example.commits["new"] in (host / SITES[3]).read_text()
