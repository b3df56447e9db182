"""`dgpin smoke --bisect` on a made history: fake builds, and the real runner."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest

import dgpin
from dgpin.api import references
from dgpin.build import interpreter
from dgpin.build.interpreter import Interpreter
from dgpin.cli.app import main
from dgpin.errors import UnavailableError
from dgpin.smoke import bisect, catalogue, session
from dgpin.smoke.case import Check
from tests import gitrepo
from tests.gitrepo import Repo
from tests.integration.smoke import world
from tests.integration.smoke.world import World

BODY = 'return Outcome(number=bench.build.kernel("k", bench.build.NUMBER), controls={"x": 0.5})'


class Line:
    """A history, a machine, and what was asked of them."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.machine: World = world.make(root / "machine")
        self.repo: Repo = gitrepo.make(root / "upstream")
        self.check: Check = self.machine.check("steady", BODY)
        self.built: list[str] = []
        self.cached: dict[str, Path] = {}
        self._root = root
        monkeypatch.setattr(references, "built", lambda commit, _python: self.cached.get(commit))
        monkeypatch.setattr(references, "compiled", self._compile)
        monkeypatch.setattr(catalogue, "load", lambda: (self.check,))

    def commit(self, subject: str, text: str = "NUMBER = 1e-9") -> str:
        """Add a commit whose build has this line in it."""
        return self.repo.commit(subject, {"kernel.py": text + "\n"})

    def _compile(self, mirror: object, commit: str, python: Interpreter) -> Path:
        """Build a commit: a fake package with the commit's line at its end."""
        del mirror, python
        line = self.repo.git("show", f"{commit}:kernel.py")
        self.built.append(commit)
        if line == "broken":
            raise references.CompileError(commit[:12])
        if line == "interrupt":
            raise KeyboardInterrupt
        root = self._root / "builds" / commit
        package = world.build(root / "deep_gemm")
        with (package / "__init__.py").open("a") as file:
            file.write(f"\n{line}\n")
        self.cached[commit] = root
        return root

    def search(self, good: str, bad: str) -> bisect.Found:
        """Return the end of a search."""
        mirror, a, b = bisect.ends(f"{good}..{bad}", [str(self.repo.root)])
        request = session.Request(
            build="",
            python=str(self.machine.python),
            env=self.machine.env,
            only=("steady",),
            directory=self.machine.checks,
        )
        attempt = bisect.Attempt(
            mirror=mirror,
            python=interpreter.read(str(self.machine.python)),
            request=request,
            known=(self.check,),
        )
        return list(bisect.search(mirror, a, b, check="steady", attempt=attempt))[-1]


@pytest.fixture(name="line")
def _line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Line]:
    yield Line(tmp_path, monkeypatch)
    shutil.rmtree(tmp_path / "builds", ignore_errors=True)


BAD = "NUMBER = 0.22"


def names(found: bisect.Found) -> list[str]:
    """Return the subjects of the suspects."""
    return [commit.subject for commit in found.suspects]


def test_found(line: Line) -> None:
    """The commit that turned the check bad is found, by branch and tag, in few builds."""
    line.commit("start")
    line.repo.git("tag", "v1")
    for at in range(6):
        line.commit(f"change {at}", f"NUMBER = {at + 1}e-9" if at < 3 else f"NUMBER = 0.{at}")

    found = line.search("v1", "main")

    assert (bisect.Outcome.FOUND, ["change 3"]) == (found.outcome, names(found))
    assert 1 == bisect.Outcome.FOUND.exit_code
    assert len(line.built) <= 5


def test_builds_of_the_cache_are_used(line: Line) -> None:
    """A second search builds nothing."""
    line.commit("start")
    line.repo.git("tag", "v1")
    line.commit("fault", BAD)
    line.search("v1", "main")
    line.built.clear()

    found = line.search("v1", "main")

    assert [] == line.built
    assert [True, True] == [step.trial.cached for step in found.steps]


def test_skipped(line: Line) -> None:
    """A commit that does not build is passed over; what it leaves open is named."""
    line.commit("start")
    line.repo.git("tag", "v1")
    line.commit("does not build", "broken")
    line.commit("fault", BAD)
    line.commit("later", "NUMBER = 0.23")

    found = line.search("v1", "main")

    assert bisect.Outcome.SEVERAL is found.outcome
    assert ["does not build", "fault"] == names(found)
    assert 3 == found.outcome.exit_code


def test_unsupported_is_skipped(line: Line) -> None:
    """A commit that declines the check is neither good nor bad."""
    body = "if bench.build.NUMBER < 0: raise UnsupportedError('no')\n" + BODY
    line.check = line.machine.check(
        "steady", "from dgpin.smoke.case import UnsupportedError\n" + body
    )
    line.commit("start")
    line.repo.git("tag", "v1")
    line.commit("declines", "NUMBER = -1")
    line.commit("fine", "NUMBER = 2e-9")
    line.commit("fault", BAD)

    found = line.search("v1", "main")

    assert (bisect.Outcome.FOUND, ["fault"]) == (found.outcome, names(found))


@pytest.mark.parametrize(
    ("start", "end", "outcome", "code"),
    [
        (BAD, "NUMBER = 0.23", bisect.Outcome.BAD_BEFORE, 1),
        ("NUMBER = 1e-9", "NUMBER = 2e-9", bisect.Outcome.GOOD_AFTER, 0),
        ("broken", BAD, bisect.Outcome.UNTRIED, 3),
    ],
)
def test_wrong_ends(line: Line, start: str, end: str, outcome: bisect.Outcome, code: int) -> None:
    """When A fails already, B passes, or an end cannot be tried, nothing is searched."""
    line.commit("start", start)
    line.repo.git("tag", "v1")
    line.commit("between", "NUMBER = 3e-9")
    line.commit("end", end)

    found = line.search("v1", "main")

    assert (outcome, code) == (found.outcome, outcome.exit_code)
    assert len(found.steps) <= 2


def parted(line: Line, base: str) -> None:
    """Make two branches from a commit `base`: `fine` passes, `main` gets a fault."""
    line.commit("base", base)
    line.repo.git("branch", "fine")
    line.commit("main 1", "NUMBER = 2e-9" if base != BAD else "NUMBER = 0.3")
    line.commit("main 2", "NUMBER = 0.4")
    line.repo.git("checkout", "--quiet", "fine")
    line.commit("fine 1", "NUMBER = 3e-9")


def test_not_an_ancestor(line: Line) -> None:
    """Where A is no ancestor of B, the commit where they part is tried, and then B's side."""
    parted(line, "NUMBER = 1e-9")

    found = line.search("fine", "main")

    assert (bisect.Outcome.FOUND, ["main 2"]) == (found.outcome, names(found))
    assert "base" in {step.commit.subject for step in found.steps}


def test_fixed_aside(line: Line) -> None:
    """Where the commit at which they part fails already, A's side has a fix, and that is said."""
    parted(line, BAD)

    found = line.search("fine", "main")

    assert bisect.Outcome.FIXED_ASIDE is found.outcome
    assert 1 == found.outcome.exit_code


def test_no_gpu(line: Line) -> None:
    """Without a GPU the search ends at its first commit, with exit code 3."""
    line.commit("start")
    line.repo.git("tag", "v1")
    line.commit("end", BAD)
    line.machine.env["FAKE_GPU"] = "none"

    with pytest.raises(UnavailableError, match="nothing can be searched here"):
        line.search("v1", "main")


def command(line: Line, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the command, in a host whose pin is the made history."""
    host = line.machine.root / "host"
    host.mkdir()
    (host / "dgpin.toml").write_text(
        f'[pin]\nrepo = "{line.repo.root}"\n[sites]\n"pin.txt" = [\'<commit>\']\n'
    )
    (host / "pin.txt").write_text(line.repo.git("rev-parse", "v1") + "\n")
    monkeypatch.chdir(host)
    for name, value in line.machine.env.items():
        if name != "PATH":
            monkeypatch.setenv(name, value)
    monkeypatch.setenv("PATH", f"{line.machine.env['PATH']}:/usr/bin:/bin")
    real = session.Request
    monkeypatch.setattr(
        session, "Request", lambda **fields: real(**fields, directory=line.machine.checks)
    )
    return ["smoke", "--bisect", "v1..main", "steady", "--python", str(line.machine.python)]


def test_command(
    line: Line, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command tells each step on stderr and the commit as JSON, as its schema says."""
    line.commit("start")
    line.repo.git("tag", "v1")
    first = line.commit("fault", BAD)
    line.commit("later", "NUMBER = 0.3")
    words = command(line, monkeypatch)

    code = main([*words, "--json"])

    told = capsys.readouterr()
    answer = json.loads(told.out)
    schema = Path(dgpin.__file__).parent / "render/schemas/smoke-bisect.json"
    jsonschema.validate(answer, json.loads(schema.read_text()))
    assert 1 == code
    assert [first] == [each["sha"] for each in answer["suspects"]]
    assert ["good", "bad", "bad"] == [line.split()[0] for line in told.err.splitlines()]


def test_refs_as_builds(line: Line) -> None:
    """A branch or tag names its commit's build; without one, the command that makes it is told."""
    built = line.commit("start")
    line.repo.git("tag", "v1")
    line.commit("end")
    line.cached[built] = line.machine.package.parent
    places = (str(line.repo.root),)

    report = line.machine.run(line.machine.good(), build="v1", repositories=lambda: places, level=0)

    assert line.machine.package == report.target.package
    with pytest.raises(session.NotBuiltError, match=r"main .*there is no build of it") as told:
        line.machine.run(line.machine.good(), build="main", repositories=lambda: places, level=0)
    assert "`dgpin build main --repo " in told.value.hint


def test_interrupted(
    line: Line, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A search that is interrupted says what it found so far, and ends with 130."""
    good = line.commit("start")
    line.repo.git("tag", "v1")
    line.commit("between", "interrupt")
    bad = line.commit("end", BAD)
    words = command(line, monkeypatch)

    assert 130 == main(words)
    assert f"--bisect {good[:12]}..{bad[:12]} steady" in capsys.readouterr().err
