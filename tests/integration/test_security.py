"""What runs code of a host or a build, and what never does: an import that leaves a mark."""

import os
import sys
from pathlib import Path

import pytest

from dgpin import process
from dgpin.build import artefact, interpreter
from dgpin.cli import app
from dgpin.errors import DgpinError
from dgpin.source import address, git
from dgpin.source.resolve import resolve
from tests import gitrepo
from tests.api.builds import python as fake_python
from tests.api.builds import write
from tests.build import jobs, small
from tests.integration.smoke import world as machines
from tests.world import World


@pytest.fixture(name="mark")
def _mark(tmp_path: Path) -> Path:
    return tmp_path / "mark"


def leaves(mark: Path) -> str:
    """Return a line of Python that leaves a mark when it is run."""
    return f"open({str(mark)!r}, 'w').close()\n"


def trap(world: World, mark: Path) -> None:
    """Make every Python file and script of the host leave a mark when it runs, and add more."""
    for path in world.host.rglob("*"):
        if path.suffix == ".py":
            path.write_text(leaves(mark) + path.read_text())
        elif path.suffix == ".sh":
            path.write_text(path.read_text() + f"\ntouch {mark}\n")
    for name in ("conftest.py", "setup.py", "sitecustomize.py", "deep_gemm/__init__.py", "git.py"):
        path = world.host / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(leaves(mark) + "from deep_gemm import fp8_gemm_nt\nfp8_gemm_nt()\n")


@pytest.mark.parametrize(
    "words",
    [
        ("check",),
        ("check", "--remote", "--docs"),
        ("show",),
        ("lint",),
        ("init",),
        ("bump", "NEW", "--dry-run"),
        ("bump", "NEW"),
    ],
    ids=" ".join,
)
def test_the_host_is_only_text(
    world: World, mark: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commands that read a host run nothing of it, also when it is where one stands."""
    trap(world, mark)
    world.git("add", "-A")
    world.git("commit", "-q", "-m", "Trap")
    monkeypatch.chdir(world.host)

    new = world.example.commits["new"]
    said = world.dgpin(*(new if word == "NEW" else word for word in words))

    assert said.code in {0, 1, 3}
    assert not mark.exists()


def test_a_watch_entry_is_text(world: World, mark: Path) -> None:
    """A watched text that looks like a command is looked for, and not run."""
    world.configure()
    command = f"$(touch {mark}) `touch {mark}`; touch {mark} <version>"
    path = world.host / "dgpin.toml"
    path.write_text(path.read_text() + f"\n[watch]\n\"setup.py\" = '''{command}'''\n")

    said = world.dgpin("check")

    assert said.code in {0, 1, 2, 3}
    assert not mark.exists()


def _builds(directory: Path, mark: Path) -> tuple[str, str]:
    for name in ("a", "b"):
        write(directory / name, {"deep_gemm/__init__.py": leaves(mark) + "def f(a): ...\n"})
    return str(directory / "a"), str(directory / "b")


def test_the_probe_runs_the_build(tmp_path: Path, mark: Path) -> None:
    """To read what a build registers, diff-api imports it."""
    python = str(fake_python(tmp_path / "python").path)

    assert 0 == app.main(["diff-api", *_builds(tmp_path, mark), "--python", python])
    assert mark.exists()


def test_static_comparison_runs_nothing(tmp_path: Path, mark: Path) -> None:
    """With --static, neither build is imported."""
    python = str(fake_python(tmp_path / "python").path)

    assert 0 == app.main(["diff-api", *_builds(tmp_path, mark), "--python", python, "--static"])
    assert not mark.exists()


def test_carry_runs_nothing(tmp_path: Path, mark: Path) -> None:
    """Sources that are compared for lost fixes are text."""
    old, new = _builds(tmp_path, mark)

    assert app.main(["carry", old, new]) in {0, 1}
    assert not mark.exists()


def _small(tmp_path: Path, mark: Path, monkeypatch: pytest.MonkeyPatch) -> small.Small:
    made = small.make(tmp_path / "small")
    monkeypatch.setenv("CUDA_HOME", str(made.toolkit))
    package = made.source / "deep_gemm/__init__.py"
    package.write_text(leaves(mark) + package.read_text())
    return made


def test_build_imports_what_it_made(
    tmp_path: Path, mark: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`build` compiles a source, and imports the result once to see that it can be."""
    made = _small(tmp_path, mark, monkeypatch)

    jobs.build(made)

    assert mark.exists()


def test_build_reads_setup_as_text(
    tmp_path: Path, mark: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The source's setup.py is read, and never run."""
    made = small.make(tmp_path / "small")
    monkeypatch.setenv("CUDA_HOME", str(made.toolkit))
    setup = made.source / "setup.py"
    setup.write_text(leaves(mark) + setup.read_text())

    jobs.build(made)

    assert not mark.exists()


def test_preflight_runs_nothing_of_the_source(
    tmp_path: Path, mark: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a build needs is found without running anything of its source."""
    jobs.prepare(_small(tmp_path, mark, monkeypatch))

    assert not mark.exists()


def test_smoke_runs_the_build(tmp_path: Path, mark: Path) -> None:
    """`smoke` loads the build and starts its kernels."""
    machine = machines.make(tmp_path / "machine")
    for path in (tmp_path / "machine").rglob("deep_gemm/__init__.py"):
        path.write_text(path.read_text() + "\n" + leaves(mark))

    machine.run(machine.good())

    assert mark.exists()


@pytest.fixture(name="environment")
def _environment(tmp_path: Path) -> Path:
    """An interpreter of its own."""
    process.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"]).check()
    return tmp_path / "venv"


def _site(environment: Path) -> Path:
    return next(environment.glob("lib/python*/site-packages"))


def test_an_environment_is_started_and_not_imported(environment: Path, mark: Path) -> None:
    """Judging an environment starts its Python, and imports neither deep_gemm nor torch."""
    package = _site(environment)
    write(package, {"deep_gemm/__init__.py": leaves(mark), "torch/__init__.py": leaves(mark)})
    python = interpreter.read(str(environment / "bin/python"))

    artefact.check_environment(python)
    artefact.check_artefact(package / "deep_gemm", interpreter=python)
    app.main(["show", "--env", "--python", str(python.path)])

    assert not mark.exists()


def test_what_an_environment_runs_at_start_is_run(environment: Path, mark: Path) -> None:
    """An interpreter that is asked runs its own start-up files, as whenever it is started."""
    (_site(environment) / "start.pth").write_text("import sys; " + leaves(mark))

    interpreter.read(str(environment / "bin/python"))

    assert mark.exists()


def test_filters_do_not_run(tmp_path: Path, mark: Path) -> None:
    """Contents are read out of a mirror as they are: no filter changes them, no hook sees them."""
    repo = gitrepo.make(tmp_path / "upstream")
    head = repo.commit("Start", {".gitattributes": "* filter=evil diff=evil", "setup.py": "1"})
    Path(os.environ["GIT_CONFIG_GLOBAL"]).write_text(
        f'[filter "evil"]\n\tsmudge = touch {mark}\n\tclean = touch {mark}\n\trequired = true\n'
        f'[diff "evil"]\n\ttextconv = touch {mark}\n\tcommand = touch {mark}\n'
    )
    mirror = git.open_mirror(str(repo.root), fetch=True)

    assert b"1" == mirror.tree(head).read("setup.py")
    assert not mark.exists()


@pytest.mark.parametrize("ref", ["--output={mark}", "-o{mark}", "--upload-pack=touch {mark}"])
def test_a_ref_is_never_an_option(tmp_path: Path, mark: Path, ref: str) -> None:
    """What looks like an option of git's is looked for as a ref, and refused."""
    repo = gitrepo.make(tmp_path / "upstream")
    repo.commit("Start", {"setup.py": "1"})
    mirror = git.open_mirror(str(repo.root), fetch=True)

    with pytest.raises(DgpinError):
        resolve(ref.format(mark=mark), mirror=mirror, old=None)

    assert not mark.exists()


@pytest.mark.parametrize("url", ["ext::sh -c 'touch {mark}'", "file:///etc", "/etc", "-u{mark}"])
def test_a_submodule_leads_nowhere_else(mark: Path, url: str) -> None:
    """A submodule of a far repository may not name a local path, nor a helper, nor an option."""
    far = address.parse("https://example.org/a/b")

    with pytest.raises(address.AddressError):
        address.parse(url.format(mark=mark), relative_to=far, local=far.local)

    assert not mark.exists()


def test_a_submodule_of_a_local_repository_may_be_local(tmp_path: Path) -> None:
    """The submodule of a local repository may be a path."""
    near = address.parse(str(tmp_path))

    assert address.parse("/srv/b", relative_to=near, local=near.local).local


SECRET = "s3cret-t0ken"


@pytest.mark.parametrize(
    "words",
    [("check",), ("check", "--json"), ("check", "--remote"), ("show",), ("show", "--json")],
    ids=" ".join,
)
def test_no_command_prints_a_credential(
    world: World, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A password in the host's address and a token in the environment stand in no output."""
    monkeypatch.setenv("GITHUB_TOKEN", SECRET)
    world.configure()
    for path in world.host.rglob("*"):
        if path.is_file() and ".git" not in path.parts:
            text = path.read_text(errors="surrogateescape")
            if "file://" in text:
                changed = text.replace("file://", f"https://me:{SECRET}@127.0.0.1:9")
                path.write_text(changed, errors="surrogateescape")

    said = world.dgpin(*words)

    assert SECRET not in said.out + said.err
