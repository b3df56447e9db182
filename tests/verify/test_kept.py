"""An answer is used again only over the same inputs, and every input counts."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from dgpin import cache, stamp
from dgpin.api.builds import Build
from dgpin.api.locate import Source
from dgpin.build.interpreter import Interpreter
from dgpin.config import Accepted
from dgpin.errors import UnavailableError
from dgpin.source.directory import DirTree
from dgpin.verdict import Place, Row, Verdict
from dgpin.verify import inputs, kept
from dgpin.verify.answer import Answer, Point, Step
from tests.example.tree import DictTree

ANSWER = Answer(
    step=Step.LINT,
    verdict=Verdict.FAIL,
    summary="1 error",
    rows=(Row(rule="r", verdict=Verdict.FAIL, message="m", places=(Place("a.py", 3),)),),
    more="dgpin lint",
    evidence={"schema": "dgpin/lint/1", "rows": [None, 1]},
)


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache of the test's own; files that were just written count as old."""
    monkeypatch.setenv("DGPIN_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(stamp, "RACE", -(10**12))


def test_the_same_inputs() -> None:
    """The answer comes back whole, and says that it was kept."""
    kept.answer(Step.LINT, "inputs", lambda: ANSWER)

    again = kept.answer(Step.LINT, "inputs", lambda: pytest.fail("made again"))

    assert replace(ANSWER, reused=True) == again


@pytest.mark.parametrize(
    ("step", "text", "damage"),
    [
        (Step.API, "inputs", ""),
        (Step.LINT, "other inputs", ""),
        (Step.LINT, "", ""),
        (Step.LINT, "inputs", "[1, 2]"),
        (Step.LINT, "inputs", "{"),
    ],
)
def test_other_inputs(step: Step, text: str, damage: str) -> None:
    """Another step, other inputs, none that can be told, or a damaged entry: it is made."""
    kept.answer(Step.LINT, "inputs", lambda: ANSWER)
    if damage:
        (entry,) = (cache.root() / "verify").iterdir()
        entry.write_text(damage)

    assert not kept.answer(step, text, lambda: replace(ANSWER, step=step)).reused


def test_a_failure_is_not_kept() -> None:
    """What could not be told once may be told the next time."""

    def fail() -> Answer:
        message = "no torch"
        raise UnavailableError(message)

    with pytest.raises(UnavailableError):
        kept.answer(Step.LINT, "inputs", fail)

    assert not kept.answer(Step.LINT, "inputs", lambda: ANSWER).reused


@dataclass
class Scene:
    """What `inputs.of_api` asks of a Material, on disk below `root`."""

    root: Path
    label: str = "old"
    commit: str = "1" * 40
    version: str = "3.11.7"
    modules: frozenset[str] = frozenset({"torch"})
    allow: tuple[Accepted, ...] = ()
    moves: bool = True
    documents: tuple[str, ...] = ()
    request: Any = field(init=False)
    subject: Any = field(init=False)

    def __post_init__(self) -> None:
        for path in ("host/a.py", "new/deep_gemm/__init__.py", "new/deep_gemm/include/a.cuh",
                     "new/deep_gemm_cpp.so", "old/csrc/python_api.cpp",
                     "site/torch-2.14.1.dist-info/METADATA"):  # fmt: skip
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text("import deep_gemm\n")

    def key(self) -> str:
        """Return the inputs as they are now."""
        config = type("Config", (), {"allow": self.allow})
        point = Point(repo="r", commit=self.commit)
        self.request = type("Request", (), {"documents": self.documents})
        self.subject = type("Subject", (), {
            "host": type("Host", (), {"root": self.root / "host"}),
            "fit": type("Fit", (), {"config": config}),
            "old": point if self.moves else None,
            "new": Point(repo="r", commit="2" * 40),
        })  # fmt: skip
        scene: Any = self
        return inputs.of_api(scene)

    def python(self) -> Interpreter:
        """Return the interpreter under test."""
        return Interpreter(path=self.root / "python", version=self.version, include=self.root,
                           ext_suffix=".so", platform="linux", search=(self.root / "site",),
                           modules=self.modules)  # fmt: skip

    def old(self) -> Source:
        """Return a source in a directory."""
        return Source(label=self.label, tree=DirTree(self.root / "old"), commit="")

    def new(self) -> Build:
        """Return a build."""
        return Build(label="new", root=self.root / "new")


def _write(path: str) -> Callable[[Scene], object]:
    return lambda scene: (scene.root / path).write_text("import deep_gemm as other\n")


def _set(name: str, value: object) -> Callable[[Scene], object]:
    return lambda scene: setattr(scene, name, value)


CHANGES: dict[str, Callable[[Scene], object]] = {
    "a file of the host": _write("host/a.py"),
    "a new file of the host": _write("host/b.py"),
    "the old source": _write("old/csrc/python_api.cpp"),
    "the new package": _write("new/deep_gemm/__init__.py"),
    "its kernels": _write("new/deep_gemm/include/a.cuh"),
    "the extension beside it": _write("new/deep_gemm_cpp.so"),
    "a second extension": _write("new/deep_gemm_cpp.abi3.so"),
    "torch": lambda scene: (scene.root / "site/torch-2.14.1.dist-info").rename(
        scene.root / "site/torch-2.15.0.dist-info"
    ),
    "the interpreter": _set("version", "3.12.1"),
    "what it has": _set("modules", frozenset({"torch", "deep_gemm"})),
    "the exceptions": _set("allow", (Accepted("x", "y"),)),
    "the name of a side": _set("label", "another"),
    "the commit of a side": _set("commit", "3" * 40),
    "that it is written down": _set("documents", ("lint",)),
    "that it moves": _set("moves", False),
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_input_counts(tmp_path: Path, change: str) -> None:
    """One thing that differs makes other inputs."""
    scene = Scene(tmp_path)
    before = scene.key()

    CHANGES[change](scene)

    assert "" not in {before, scene.key()}
    assert before != scene.key()


def test_the_day_and_dgpin_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception expires, and another dgpin may answer otherwise."""

    class Later(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> "Later":
            return cls(2100, 1, 1, tzinfo=tz or timezone.utc)

    scene = Scene(tmp_path)
    first = scene.key()
    monkeypatch.setattr(inputs, "datetime", Later)
    later = scene.key()
    (tmp_path / "own").mkdir()
    (tmp_path / "own/__init__.py").write_text("")
    monkeypatch.setattr("dgpin.__file__", str(tmp_path / "own/__init__.py"))

    assert 3 == len({first, later, scene.key()})


def test_nothing_changed(tmp_path: Path) -> None:
    """The same files, looked at twice."""
    scene = Scene(tmp_path)

    assert scene.key() == scene.key()


def test_what_cannot_be_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit of a mirror may get more files, and a file may change within its time stamp."""
    scene = Scene(tmp_path)
    monkeypatch.setattr(scene, "old", lambda: Source(label="old", tree=DictTree({}), commit=""))
    of_a_mirror = scene.key()
    monkeypatch.undo()

    assert ("", "") == (of_a_mirror, Scene(tmp_path / "b").key())
