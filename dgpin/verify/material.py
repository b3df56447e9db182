"""What the steps share: each thing is read once, by whichever step wants it first."""

import contextlib
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from dgpin.api import load, locate
from dgpin.api.builds import Build, NotABuildError
from dgpin.api.failures import fits
from dgpin.api.host import scan
from dgpin.api.locate import Named, Source
from dgpin.api.surface import Surface
from dgpin.api.uses import Scan
from dgpin.build import interpreter, store
from dgpin.build.interpreter import Interpreter
from dgpin.errors import DgpinError
from dgpin.paths import expanded
from dgpin.source.directory import DirTree
from dgpin.verify import gates
from dgpin.verify.answer import SHORT, Point
from dgpin.verify.known import UnknownSourceError
from dgpin.verify.request import Request
from dgpin.verify.subject import Subject

if TYPE_CHECKING:  # answers that are kept need none of it
    from dgpin.api.bind_findings import Impact
    from dgpin.api.change import Comparison

T = TypeVar("T")


class Once(Generic[T]):
    """A value that is made when it is first asked for, or the failure to make it."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: list[T] = []
        self._error: Exception | None = None

    def __call__(self) -> T:
        """Return the value.

        Raises:
            Exception: what was raised when it was made.
        """
        with self._lock:
            if self._error is not None:
                raise self._error
            if not self._made:
                try:
                    self._made.append(self._make())
                except Exception as error:
                    self._error = error
                    raise
            return self._made[0]


class Material:
    """The two sides as builds, sources and surfaces, the interpreter, and the host's uses.

    `git` is held by whoever reads a mirror: GitPython keeps one process for each, which answers
    one question at a time.
    """

    def __init__(self, request: Request, subject: Subject) -> None:
        self.request = request
        self.subject = subject
        self.git = threading.Lock()
        self.python: Once[Interpreter] = Once(self._python)
        self.inputs: Once[str] = Once(self._inputs)
        self.architectures: Once[tuple[str, ...]] = Once(self._architectures)
        self.scan: Once[Scan] = Once(partial(scan.scan, subject.host.root))
        self.old: Once[Named] = Once(lambda: self._named(subject.old or subject.new))
        self.new: Once[Named] = Once(lambda: self._named(subject.new))
        self.old_surface: Once[Surface] = Once(lambda: self._surface(self.old()))
        self.new_surface: Once[Surface] = Once(lambda: self._surface(self.new()))
        self.comparison: Once[Comparison] = Once(self._comparison)
        self.impact: Once[Impact] = Once(self._impact)

    def _python(self) -> Interpreter:
        env = self.request.env
        return interpreter.read(
            self.request.python or interpreter.default(env), modules=load.MODULES
        )

    def _inputs(self) -> str:
        from dgpin.verify import inputs  # noqa: PLC0415 - it takes what is collected here

        return inputs.of_api(self)

    def _architectures(self) -> tuple[str, ...]:
        """Return what must be proved: what is required, else what the host enables or has."""
        new, reading = self.subject.new, self.subject.fit.reading
        found = self.request.required or gates.architectures(reading, new.commit)
        if not found and new.commit:
            # Whether the source was read before may not decide.
            with contextlib.suppress(DgpinError), self.git:
                self.subject.sources.facts(new.repo, new.commit)
            found = gates.architectures(reading, new.commit)
        return found

    def _comparison(self) -> "Comparison":
        from dgpin.api import compare  # noqa: PLC0415 - an answer that is kept needs none

        return compare.compare(self.old_surface(), self.new_surface())

    def _impact(self) -> "Impact":
        from dgpin.api import bind_findings  # noqa: PLC0415 - as above

        return bind_findings.impact(self.scan(), self.comparison())

    def _named(self, point: Point) -> Named:
        if point.given:
            if (directory := source_in(point)) is not None:
                return Source(label=point.given, tree=DirTree(directory), commit="")
            found = locate.named(point.given, python=self.python())
            if found is None:
                raise NotABuildError(point.given, "there is no such file or directory")
            return found
        built = self._built(point.commit)
        if built is not None:
            return built
        mirrors = self.subject.mirrors
        if mirrors is None or not point.commit:
            raise UnknownSourceError(point.commit or "the pin", self.subject.known.why)
        with self.git:
            tree = mirrors.mirror(point.repo).tree(point.commit)
            return Source(label=point.commit[:SHORT], tree=tree, commit=point.commit)

    def _built(self, commit: str) -> Build | None:
        for entry in store.builds_of(commit) if commit else ():
            build = Build(label=f"{commit[:SHORT]}, from the build cache", root=entry.root)
            if any(fits(name, self.python().ext_suffix) for name in build.extensions()):
                return build
        return None

    def _surface(self, named: Named) -> Surface:
        from dgpin.api import static  # noqa: PLC0415 - a build that is loaded needs none

        if isinstance(named, Source):
            with self.git:  # its text is read out of the mirror
                return static.of_source(named)
        python = self.python()
        if "torch" not in python.modules:
            return static.of_build(named)
        return load.surface(load.Side(build=named, python=python))


def source_in(point: Point) -> Path | None:
    """Return the directory given for a side, if it holds a source and no build."""
    path = expanded(point.given) if point.given else None
    if path is not None and (path / "csrc" / "python_api.cpp").is_file():
        return path
    return None
