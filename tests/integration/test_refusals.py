"""What `dgpin bump` refuses: each with its exit code and message, and with nothing written."""

import contextlib
import hashlib
import itertools
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from dgpin import process
from tests.world import World, changed, git, state

CMAKE = "cmake/external_projects/deepgemm.cmake"
INSTALL = "tools/install_deepgemm.sh"
LOST = ("--accept-loss", "deep_gemm.fp8_m_grouped_gemm_nt_masked")
NOBODY = 65534


@pytest.mark.parametrize(
    ("ref", "says"),
    [
        ("nonesuch", "has no commit, branch or tag `nonesuch`"),
        ("0" * 40, f"has no commit, branch or tag `{'0' * 40}`"),
        ("nv_dve", "It has nv_dev."),
        ("origin/dev", "has no commit, branch or tag `origin/dev`"),
        ("pull/8/head", "has no commit, branch or tag `pull/8/head`"),
        ("dev~1", "is not a name that git allows"),
        ("", "the ref '' is empty"),
    ],
)
def test_unknown_ref(world: World, ref: str, says: str) -> None:
    """What the repository does not have is named, with what comes close."""
    world.refuses(2, says, words=(ref,))


@pytest.mark.parametrize("words", [("--", "-x"), ("--", "--upload-pack=touch pwned")])
def test_ref_that_begins_with_a_dash(world: World, words: tuple[str, ...]) -> None:
    """A REF is never an option of git's."""
    world.refuses(2, "begins with `-`, so git would take it for an option", words=words)


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("-x", "begins with `-`"),
        ("--upload-pack=touch pwned", "begins with `-`"),
        ("ssh://-oProxyCommand=touch pwned/x", "has a part that begins with `-`"),
        ("git@-oProxyCommand=touch:x", "has a part that begins with `-`"),
        ("ext::sh -c touch% pwned", "uses the transport `ext`, refused"),
        ("fd::17/x", "uses the transport `fd`, refused"),
        ("http://github.com/deepseek-ai/DeepGEMM", "uses the transport `http`"),
        ("ftp://github.com/deepseek-ai/DeepGEMM", "uses the transport `ftp`"),
    ],
)
@pytest.mark.parametrize("where", ["option", "file"])
def test_address_that_git_must_not_see(
    world: World, url: str, says: str, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Options and commands in the place of an address are refused, whoever wrote them."""
    if where == "file":
        world.configure(f'repo = "{world.example.url}"', f'repo = "{url}"')
    monkeypatch.chdir(world.host)

    world.refuses(2, says, words=("dev", *(("--repo", url) if where == "option" else ())))


def test_address_of_a_submodule_that_git_must_not_see(world: World, tmp_path: Path) -> None:
    """The new source itself cannot make git run a command."""
    evil = world.repository(tmp_path.name)
    modules = git(evil, "show", "dev:.gitmodules").replace(
        "../../third-party/cutlass.git", "ext::sh -c touch% pwned"
    )
    changed(evil, "dev", {".gitmodules": modules}, to="evil")

    world.refuses(2, "uses the transport `ext`", words=("evil", "--repo", f"file://{evil}"))


def test_ambiguous_short_sha(world: World, tmp_path: Path) -> None:
    """Two commits that begin alike are both shown."""
    repository = world.repository(tmp_path.name)
    tree = git(repository, "rev-parse", "dev^{tree}")
    short, both = _alike(tree, world.example.commits["port"])
    for name, commit in zip(("one", "two"), both, strict=True):
        made = git(repository, "hash-object", "-t", "commit", "-w", "--stdin", stdin=commit)
        git(repository, "update-ref", f"refs/heads/{name}", made)
    there = f"file://{repository}"

    message = world.refuses(2, f"the ref `{short}` is ambiguous", words=(short, "--repo", there))

    assert 2 == len(re.findall(rf"^  {short}[0-9a-f]{{8}}  .*Number", message, re.MULTILINE))


def _alike(tree: str, parent: str) -> tuple[str, tuple[str, str]]:
    """Return four digits, and the texts of two commits whose SHA begins with them."""
    seen: dict[str, str] = {}
    for when in itertools.count(1_767_225_600):
        text = (
            f"tree {tree}\nparent {parent}\nauthor A <a@b> {when} +0000\n"
            f"committer A <a@b> {when} +0000\n\nNumber {when}\n"
        )
        short = hashlib.sha1(f"commit {len(text)}\0{text}".encode()).hexdigest()[:4]
        if short in seen:
            return short, (seen[short], text)
        seen[short] = text
    raise AssertionError


def test_tag_and_branch_of_one_name(world: World, tmp_path: Path) -> None:
    """A name that is both is refused with both; `tags/NAME` and `heads/NAME` say which."""
    repository = world.repository(tmp_path.name)
    git(repository, "update-ref", "refs/heads/v9", world.example.commits["port"])
    git(repository, "update-ref", "refs/tags/v9", world.example.commits["new"])
    there = ("--repo", f"file://{repository}")

    message = world.refuses(2, "the ref `v9` is ambiguous", words=("v9", *there))

    assert f"{world.example.commits['port'][:12]}  branch v9" in message
    assert f"{world.example.commits['new'][:12]}  tag v9" in message
    assert "Give more digits, or say which: heads/NAME, tags/NAME." in message
    assert (0, "") == world.dgpin("bump", "heads/v9", *there, *LOST)[:2]
    assert world.example.commits["port"] in (world.host / CMAKE).read_text()


def test_unreachable_commit(world: World) -> None:
    """A commit on no branch, tag or pull request is refused, and can be allowed."""
    stray = world.example.commits["stray"]
    world.refuses(
        1,
        f"commit {stray}: {world.example.url} has it, but no branch, tag or pull request",
        "--allow-unreachable",
        words=(stray,),
    )

    lost = ("--accept-loss", "sm_120", *LOST)
    assert 0 == world.dgpin("bump", stray, "--allow-unreachable", "--dry-run", *lost)[0]


@pytest.mark.parametrize("digits", [8, 40])
def test_commit_of_another_repository(world: World, digits: int) -> None:
    """A commit that a configured fork has is refused with the fork's name."""
    forks = 'forks = ["https://github.com/vllm-project/DeepGEMM"]'
    world.configure(forks, f'forks = ["{world.example.fork}"]')
    forked = world.example.commits["forked"][:digits]

    world.refuses(
        1,
        f"commit {forked}: {world.example.url} lacks it; {world.example.fork} has it (branch dev)",
        f"Move the pin to that repository: --repo {world.example.fork}.",
        words=(forked,),
    )


@pytest.mark.parametrize("path", ["../outside.txt", "/etc/hostname", "cmake/../../outside.txt"])
def test_site_outside_the_host(world: World, path: str) -> None:
    """A configuration cannot name a file that is not the host's."""
    world.configure('"CMakeLists.txt"', f'"{path}"')

    world.refuses(2, f"the site path `{path}` leaves the host", words=("dev",))


def test_site_that_leads_out_of_the_host(world: World, tmp_path: Path) -> None:
    """A link cannot lead dgpin to a file that is not the host's; the file stays as it is."""
    outside = tmp_path / "outside.sh"
    (world.host / INSTALL).rename(outside)
    (world.host / INSTALL).symlink_to(outside)
    text = outside.read_bytes()

    world.refuses(2, f"{INSTALL} leads out of the host, to {outside}", words=("dev", "--dirty"))

    assert text == outside.read_bytes()


def test_missing_site(world: World) -> None:
    """With a configuration, the line that comes closest is named; with none, the presets tried."""
    world.edit(INSTALL, "DEEPGEMM_GIT_REF=", "DEEPGEMM_GIT_TAG=")
    line = f'{INSTALL}:8 (closest line): `DEEPGEMM_GIT_REF="<commit>"`: its text is not in'

    message = world.refuses(2, "no preset fits", f"vllm-0.25: {line}", words=("dev", "--dirty"))
    world.edit(INSTALL, "DEEPGEMM_GIT_TAG=", "DEEPGEMM_GIT_REF=")
    world.configure()
    world.edit(INSTALL, "DEEPGEMM_GIT_REF=", "DEEPGEMM_GIT_TAG=")
    again = world.refuses(2, f"dgpin: {line} the file\n", words=("dev", "--dirty"))

    assert "docs/how-to/pin-deepgemm.md" in message
    assert "`dgpin check` shows every site" in again


def test_site_twice(world: World) -> None:
    """A text that stands there twice is never guessed at; both lines are named."""
    world.configure()
    line = (world.host / INSTALL).read_text().splitlines()[7]
    with (world.host / INSTALL).open("a") as file:
        file.write(f"{line}\n")
    last = len((world.host / INSTALL).read_text().splitlines())

    world.refuses(
        2,
        f'{INSTALL}:8, {INSTALL}:{last}: `DEEPGEMM_GIT_REF="<commit>"`: its text is there more '
        "than once",
        words=("dev", "--dirty"),
    )


def test_sites_that_disagree(world: World) -> None:
    """Two old commits are both shown; `--from` decides."""
    old, other = (world.example.commits[name] for name in ("sm120", "old"))
    world.edit(INSTALL, old, other)
    world.git("commit", "-q", "-a", "-m", "Drift")

    message = world.refuses(2, "the sites disagree on the commit", words=("dev",))

    assert f"{CMAKE}:14 says {old}" in message
    assert f"{INSTALL}:8 says {other}" in message
    assert 0 == world.dgpin("bump", "dev", "--from", old, *LOST)[0]


def test_sites_that_disagree_on_the_repository(world: World) -> None:
    """`--repo` decides, as the message says; what the pin was is another question."""
    url = world.example.url
    world.edit(INSTALL, url, url.replace("/upstream/", "/other/"))
    world.git("commit", "-q", "-a", "-m", "Drift")
    old = world.example.commits["sm120"]

    for words in (("dev",), ("dev", "--from", old)):
        message = world.refuses(2, "the sites disagree on the repo", words=words)
        assert "Decide with --repo URL" in message
    assert 0 == world.dgpin("bump", "dev", "--repo", url, *LOST).code
    assert f"{url}.git" in (world.host / INSTALL).read_text()


@pytest.mark.parametrize(("ref", "code"), [("2.8.0", 0), ("v2.8.0", 0), ("main", 1)])
def test_a_pin_that_is_a_release(world: World, ref: str, code: int) -> None:
    """A version, or its tag, is what the sites can say; a branch is not, and the cure is told."""
    (world.host / "pin.txt").write_text("x==2.6.1\n")
    (world.host / "dgpin.toml").write_text(
        f'[pin]\nrepo = "{world.example.url}"\nrelease = "pypi:x"\n'
        '[sites]\n"pin.txt" = "x==<wheel>"\n'
    )
    world.git("add", "pin.txt", "dgpin.toml")
    world.git("commit", "-q", "-m", "A release")

    said = world.dgpin("bump", ref, *LOST)

    assert code == said.code, said
    if code == 0:
        assert "x==2.8.0\n" == (world.host / "pin.txt").read_text()
    else:
        assert "name a release" in said.err


def test_old_pin_that_is_gone(world: World) -> None:
    """An old commit that its repository no longer has cannot be compared with; another can."""
    old, gone = world.example.commits["sm120"], "f" * 40
    for path in (CMAKE, INSTALL):
        world.edit(path, old, gone)
    world.git("commit", "-q", "-a", "-m", "Pin what is gone")

    world.refuses(2, f"{world.example.url} has no commit {gone}", "--from SHA", words=("dev",))

    assert 0 == world.dgpin("bump", "dev", "--from", old, *LOST)[0]


def test_dirty_file(world: World) -> None:
    """A site file with changes that git cannot give back is not written over."""
    world.edit(INSTALL, "set -e", "set -eu")

    world.refuses(2, f"{INSTALL} has uncommitted changes", "--dirty", words=("dev", *LOST))
    world.refuses(2, f"{INSTALL} has uncommitted changes", words=("dev", *LOST, "--dry-run"))

    assert 0 == world.dgpin("bump", "dev", *LOST, "--dirty")[0]
    assert "set -eu" in (world.host / INSTALL).read_text()


def test_dirty_file_of_a_host_inside_a_repository(world: World) -> None:
    """The file is named as the host names it, wherever the work tree begins."""
    shutil.rmtree(world.host / ".git")
    process.run(["git", "init", "-q", world.host.parent]).check()
    world.git("add", ".")
    world.git("commit", "-q", "-m", "Begin")
    world.edit(INSTALL, "set -e", "set -eu")

    world.refuses(2, f"dgpin: {INSTALL} has uncommitted changes", words=("dev", *LOST))


def test_dirty_file_behind_a_link(world: World) -> None:
    """A site that is a link is as dirty as the file behind it; that file is what is committed."""
    real = "tools/install.real.sh"
    (world.host / INSTALL).rename(world.host / real)
    (world.host / INSTALL).symlink_to("install.real.sh")
    world.git("add", "--all")
    world.git("commit", "-q", "-m", "Link")
    world.git("config", "user.name", "Ada")
    world.git("config", "user.email", "ada@example.org")
    world.edit(real, "set -e", "set -eu")

    world.refuses(2, f"dgpin: {real} has uncommitted changes", words=("dev", *LOST))
    world.git("checkout", "-q", ".")

    assert (0, "") == world.dgpin("bump", "dev", *LOST, "--commit")[:2]
    assert real in world.git("show", "--name-only", "--format=", "HEAD").split()
    assert "" == world.git("status", "--porcelain")


def test_the_diff_of_a_link_can_be_applied(world: World) -> None:
    """It names the file behind the link, through which `git apply` does not write."""
    real = "tools/install.real.sh"
    (world.host / INSTALL).rename(world.host / real)
    (world.host / INSTALL).symlink_to("install.real.sh")
    world.git("add", "--all")
    world.git("commit", "-q", "-m", "Link")
    words = ("bump", "dev", *LOST)
    diff = world.host.parent / "pin.diff"
    assert (0, "") == world.dgpin(*words, "--dry-run", "-o", f"diff={diff}")[:2]

    world.git("apply", str(diff))
    applied = (world.host / real).read_bytes()
    world.git("checkout", "-q", ".")

    assert 0 == world.dgpin(*words)[0]
    assert applied == (world.host / real).read_bytes()


def test_commit_that_git_refuses(world: World) -> None:
    """Without an identity nothing is written; after a hook's refusal the message says what is."""
    hook = world.host / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'run the formatter first' >&2\nexit 1\n")
    hook.chmod(0o755)
    head = world.git("rev-parse", "HEAD")
    world.refuses(2, "git does not know who commits here", words=("dev", *LOST, "--commit"))
    world.git("config", "user.name", "Ada")
    world.git("config", "user.email", "ada@example.org")

    answer = world.dgpin("bump", "dev", *LOST, "--commit")

    assert 3 == answer.code
    assert "the sites are written, but git refused to commit them: run the formatter" in answer.err
    assert f"git commit --only -- {CMAKE} docker/Dockerfile" in answer.err
    assert head == world.git("rev-parse", "HEAD")
    assert world.example.commits["port"] in (world.host / CMAKE).read_text()


def test_conflict_markers(world: World) -> None:
    """Two branches that move the pin conflict; either side, checked out, is bumped as ever.

    Here one file has the side of each, so the sites disagree as well.
    """
    start = world.git("rev-parse", "HEAD").strip()
    lost = ("--accept-loss", "sm_120", *LOST)
    for branch, commit in (("ours", "new"), ("theirs", "port")):
        world.git("checkout", "-q", "-b", branch, start)
        words = (world.example.commits[commit], *(lost if commit == "new" else LOST))
        assert 0 == world.dgpin("bump", *words)[0]
        world.git("commit", "-q", "-a", "-m", f"Move to {commit}")
    right = state(world.host / "cmake") | state(world.host / "tools")
    world.git("checkout", "-q", "ours")
    assert "CONFLICT" in world.git("merge", "theirs")

    world.refuses(
        2,
        f"{CMAKE}:14: unfinished merge between `HEAD` and `theirs`",
        f"git checkout --ours {CMAKE}",
        words=("dev",),
    )
    world.git("checkout", "--ours", "--", CMAKE)
    world.refuses(2, f"{INSTALL}:8: unfinished merge between `HEAD` and `theirs`", words=("dev",))
    world.git("checkout", "--theirs", "--", INSTALL)

    assert 0 == world.dgpin("bump", "dev", "--from", world.example.commits["new"])[0]
    assert right == state(world.host / "cmake") | state(world.host / "tools")


_DIES = """
import os, sys
from pathlib import Path
from dgpin import files
from dgpin.files.disk import Disk

class Dying(Disk):
    def rename(self, *_paths):
        os._exit(9)

root, path = Path(sys.argv[1]), sys.argv[2]
with files.locked(root, command="bump", disk=Dying()) as tree:
    tree.apply([files.Edit(path=path, old=(root / path).read_bytes(), new=b"new")])
"""


def test_an_interrupted_bump_is_put_in_order_by_a_refused_one(world: World) -> None:
    """What an earlier run left is told, although this run comes to nothing."""
    before = state(world.host)
    died = process.run([sys.executable, "-c", _DIES, world.host, INSTALL]).returncode
    told = f"dgpin: an interrupted bump was put in order: {INSTALL} had not been touched\n"

    answer = world.dgpin("bump", "nonesuch")

    assert (9, 2) == (died, answer.code)
    assert answer.err.startswith(told)
    assert "has no commit, branch or tag `nonesuch`" in answer.err
    assert before == state(world.host)


def test_held_pin(world: World) -> None:
    """A frozen pin says why, and until when."""
    world.configure(
        "[sites]", '[hold]\nreason = "0.30 ships with it"\nuntil = "2026-12-01"\n\n[sites]'
    )

    world.refuses(
        1,
        "the pin is held, until 2026-12-01: 0.30 ships with it",
        "Take [hold] out",
        words=("dev",),
    )


def test_need_that_does_not_hold(world: World) -> None:
    """A binding that the host's build cannot take is refused with what it is."""
    world.configure("PYBIND11_MODULE", "TORCH_LIBRARY")

    world.refuses(
        1,
        "needs `csrc/python_api.cpp: TORCH_LIBRARY`, which commit",
        "(its binding is pybind11)",
        words=("dev", *LOST),
    )


def test_loss(world: World) -> None:
    """What the new source lacks is named, and accepted by name only."""
    message = world.refuses(1, "sm_120 (architecture, with 2 kernel families)", words=("main",))

    assert "--accept-loss sm_120 --accept-loss deep_gemm.fp8_m_grouped_gemm_nt_masked" in message
    world.refuses(1, "sm_120", words=("main", *LOST))
    world.refuses(
        2, "--accept-loss sm_90: that is not lost", words=("dev", "--accept-loss", "sm_90")
    )


def test_a_loss_accepted_once_more(world: World) -> None:
    """The same command again finds the pin moved, and nothing to refuse."""
    first = world.dgpin("bump", "dev", *LOST)
    again = world.dgpin("bump", "dev", *LOST, "--dirty")

    assert (0, 0) == (first.code, again.code)
    assert "nothing to do" in again.out


def test_a_pin_of_no_repository_is_not_told_to_be_there(world: World) -> None:
    """`check --remote` that nobody could ask is no pass."""
    text = f'[sites]\n"{CMAKE}" = \'set(_DEEPGEMM_UPSTREAM_TAG "<commit>")\'\n'
    (world.host / "dgpin.toml").write_text(text)

    code, _, out = world.dgpin("check", "--remote")

    assert 3 == code
    assert "nothing says which repository the pin is in" in out


@pytest.mark.parametrize("option", ["--repo", "--from", "--note"])
def test_an_option_that_is_given_nothing(world: World, option: str) -> None:
    """A variable that is not set is not taken for the option left out."""
    world.refuses(2, f"{option} is empty", words=("dev", *LOST, option, ""))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--env",), "--env judges something else than --host asks about"),
        (("--artefact", "x.whl"), "--artefact judges something else than --host asks about"),
    ],
)
def test_check_answers_one_question(world: World, words: tuple[str, ...], says: str) -> None:
    """An option that would be passed over in silence is refused."""
    code, err, _ = world.dgpin("check", *words)

    assert code == 2
    assert says in err


@pytest.mark.parametrize(
    ("old", "code"), [("SHA", 0), ("z" * 40, 2)], ids=["in capitals", "no digits"]
)
def test_from_is_a_commit_in_any_spelling(world: World, old: str, code: int) -> None:
    """Capitals name the same commit, and 40 letters are no SHA."""
    old = world.example.commits["sm120"].upper() if old == "SHA" else old
    said = world.dgpin("bump", "dev", "-n", *LOST, "--from", old)

    assert code == said.code
    if code == 0:
        assert "2 commits ahead, 1 behind the old pin" in said.out
    else:
        assert f"has no commit, branch or tag `{old}`" in said.err


def test_lint_names_no_option_that_it_lacks(world: World) -> None:
    """What it says to do can be done."""
    code, err, _ = world.dgpin("lint", "--build", "nonesuch", "--static")

    assert 2 == code
    assert "Name a build with --build" in err
    assert "--repo" not in err


def test_a_merge_that_is_not_finished(world: World) -> None:
    """What git does not commit by itself during a merge is said how to be committed."""
    start = world.git("rev-parse", "HEAD").strip()
    for branch in ("one", "other"):
        world.git("checkout", "-q", "-b", branch, start)
        (world.host / "note").write_text(branch)
        world.git("add", "note")
        world.git("commit", "-q", "-m", branch)
    world.git("config", "user.name", "Ada")
    world.git("config", "user.email", "ada@example.org")
    world.git("merge", "-q", "one")

    answer = world.dgpin("bump", "dev", *LOST, "--commit")

    assert 3 == answer.code
    assert f"Finish the merge with them: git add -- {CMAKE} docker/Dockerfile" in answer.err


def test_no_network(world: World) -> None:
    """A repository that cannot be reached is said to be so."""
    url = "https://github.com/deepseek-ai/DeepGEMM"

    world.refuses(3, f"{url} could not be fetched: ", words=("dev", "--repo", url))


def test_offline_without_a_copy(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without network and without a copy there is nothing to go by."""
    monkeypatch.setenv("DGPIN_CACHE_DIR", str(tmp_path / "empty"))

    world.refuses(
        3, f"there is no copy of {world.example.url} in the cache", words=("dev", "--offline")
    )


def test_nogit(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without git on PATH the program that is missing is named."""
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))

    world.refuses(3, "the program `git` could not be started", "Install git", words=("dev", *LOST))


# Loads every module with a dry run while it may still read them, then runs as another user.
_AS_ANOTHER = """
import os, sys
from dgpin.cli import app
user, *words = sys.argv[1:]
app.main([*words, "--dry-run"])
sys.stdout.flush()
if os.geteuid() == 0:
    for top in (os.environ["DGPIN_CACHE_DIR"], os.path.dirname(words[2])):
        for directory, names, files in os.walk(top):
            for name in (".", *names, *files):
                os.chown(os.path.join(directory, name), int(user), int(user))
    os.setgroups([])
    os.setgid(int(user))
    os.setuid(int(user))
sys.exit(app.main([*words, "--offline"]))
"""


@contextlib.contextmanager
def _open_to_all() -> Iterator[Path]:
    """Yield a directory that every user can enter, unlike those of pytest."""
    with tempfile.TemporaryDirectory(prefix="dgpin-") as made:
        directory = Path(made)
        directory.chmod(0o755)
        yield directory


@pytest.mark.parametrize("place", ["tools", "cmake/external_projects", ".git"])
def test_read_only_directory(world: World, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a directory that the user may not write nothing is written, and none of the others is."""
    with _open_to_all() as directory:
        host = directory / "host"
        world.host.rename(host)
        monkeypatch.setenv("DGPIN_CACHE_DIR", str(directory / "cache"))
        monkeypatch.setenv("HOME", str(directory))
        (host / place).chmod(0o555)
        before = state(host)
        words = ("bump", "--host", str(host), "dev", *LOST)

        done = process.run([sys.executable, "-c", _AS_ANOTHER, str(NOBODY), *words])

        after = state(host)
        (host / place).chmod(0o755)
    assert 3 == done.returncode, done
    assert b"Permission denied" in done.stderr
    assert place.encode() in done.stderr
    assert before == after


_ON_A_FULL_DISK = """
import resource, sys
from dgpin.cli import app
size, *words = sys.argv[1:]
if int(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(size), int(size)))
sys.exit(app.main(words))
"""


@contextlib.contextmanager
def _small_disk(at: Path) -> Iterator[int]:
    """Mount a disk of one MiB; where that is not allowed, yield a limit for files instead."""
    at.mkdir()
    is_mounted = shutil.which("mount") is not None and (
        process.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", at]).returncode == 0
    )
    try:
        yield 0 if is_mounted else 100
    finally:
        if is_mounted:
            process.run(["umount", at]).check()


def test_full_disk(world: World, tmp_path: Path) -> None:
    """Where not all new texts fit, none is written, and what was prepared is gone."""
    assert 0 == world.dgpin("bump", "dev", *LOST, "--dry-run")[0]  # fetches what is needed
    with _small_disk(tmp_path / "disk") as limit:
        host = tmp_path / "disk" / "host"
        shutil.copytree(world.host, host, symlinks=True)
        if not limit:
            with contextlib.suppress(OSError), (host.parent / "filler").open("wb", 0) as filler:
                while True:
                    filler.write(b"x" * 512)
        before = state(host)
        words = ("bump", "--host", str(host), "dev", *LOST, "--offline")

        done = process.run([sys.executable, "-c", _ON_A_FULL_DISK, str(limit), *words])

        after = state(host)
    assert 3 == done.returncode, done
    assert (b"File too large" if limit else b"No space left on device") in done.stderr
    assert b"nothing was written" in done.stderr
    assert before == after
