"""What a fuzz target is, and the time that one input may take."""

import contextlib
import random
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from unittest import mock

from dgpin.errors import DgpinError

CORPUS = Path(__file__).with_name("corpus")
FOUND = Path(__file__).with_name("found")
LIMIT = 5.0  # seconds of processor time for one input of a few kilobytes, instrumented


class TooSlowError(BaseException):
    """An input took more processor time than its size can explain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A mistake put into the code under test, which the fuzzer must find.

    `trigger` is an input that meets it: the fault is one, whether or not the fuzzer finds it.
    """

    what: str
    place: object
    name: str
    wrong: object
    trigger: bytes

    def planted(self) -> AbstractContextManager[object]:
        """Put the mistake in for a while."""
        return mock.patch.object(self.place, self.name, self.wrong)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Code that reads what strangers wrote. `read` raises for whatever it must not do."""

    name: str
    read: Callable[[bytes], None]
    fault: Fault
    words: tuple[str, ...] = ()  # of the language that it reads
    # Changes an input in its own terms, beside the fuzzer's changes of bytes.
    change: Callable[[bytes, random.Random], bytes] | None = None
    longest: int = 4096  # bytes of an input

    @property
    def corpus(self) -> Path:
        """The inputs that the fuzzer begins with."""
        return CORPUS / self.name

    @property
    def found(self) -> tuple[Path, ...]:
        """The inputs that once did harm."""
        return tuple(sorted((FOUND / self.name).glob("*")))

    def run(self, data: bytes) -> None:
        """Read one input within the time limit; a failure that dgpin explains is none."""
        with limited(LIMIT), contextlib.suppress(DgpinError):
            self.read(data)


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise TooSlowError in what takes more processor time of its own; the machine's load is out.

    Only the main thread can be interrupted so.
    """

    def late(_signal: int, _frame: FrameType | None) -> None:
        raise TooSlowError(f"more than {seconds} s")

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
