"""The live view of a run: finished checks scroll by, the running ones stand below them."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.status import Status
from rich.text import Text

from dgpin.render import smoke
from dgpin.smoke.case import Check
from dgpin.smoke.transcript import Child, results


class Live:
    """A status line on stderr."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False)
        self._status: Status | None = None
        self._checks: Mapping[str, Check] = {}
        self._builds = 1
        self._expected: frozenset[str] = frozenset()
        self._running: dict[tuple[str, str], str] = {}
        self._ended = 0

    def start(self, checks: Mapping[str, Check], *, builds: int, expected: frozenset[str]) -> None:
        """Show that processes start."""
        self.stop()  # level 3 begins anew for each tool
        self._checks = checks
        self._builds = builds
        self._expected = expected
        self._running.clear()
        self._ended = 0
        self._status = self._console.status("loading torch and the build")
        self._status.start()

    def show(self, label: str, event: Mapping[str, Any]) -> None:
        """Show one event."""
        name = str(event.get("check", ""))
        if event["event"] in {"check", "call"}:
            self._running[label, name] = str(event.get("call", ""))
        elif event["event"] == "end":
            self._running.pop((label, name), None)
            self._ended += 1
            self._print(label, name, event)
        if self._status is not None:
            running = ", ".join(sorted(check for _, check in self._running)) or "loading"
            total = len(self._checks) * self._builds
            self._status.update(Text(f"{self._ended} of {total}: {running}"))

    def stop(self) -> None:
        """Remove the status line."""
        if self._status is not None:
            self._status.stop()
            self._status = None

    def _print(self, label: str, name: str, event: Mapping[str, Any]) -> None:
        child = Child(events=({"event": "check", "check": name}, event), returncode=0,
                      stdout="", stderr="")  # fmt: skip
        (result,) = results(child, [self._checks[name]], expected=self._expected)
        line = smoke.check_line(result)
        before = ((f"{label}  ", "dim"),) if self._builds > 1 else ()
        self._console.print(Text.assemble(*before, *line), soft_wrap=True)
