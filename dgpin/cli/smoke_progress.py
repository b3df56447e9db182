"""What a run of smoke shows while it runs: a line for each check as it ends, on a terminal."""

import sys
from typing import TYPE_CHECKING, Any

from dgpin.smoke.runner import Plan
from dgpin.smoke.transcript import Event

if TYPE_CHECKING:  # brings rich, which only a run on a terminal needs
    from dgpin.render.smoke_live import Live


class Progress:
    """Follows a run on stderr; does nothing where stderr is no terminal."""

    def __init__(self) -> None:
        self._live: Live | None = None

    @property
    def on_screen(self) -> bool:
        """Whether the user has seen every line, so that the answer need not repeat them."""
        return self._live is not None and sys.stdout.isatty()

    def begin(self, plans: tuple[Plan, ...]) -> None:
        """Learn what will run."""
        if self._live is None and sys.stderr.isatty():
            from dgpin.render.smoke_live import Live  # noqa: PLC0415 - brings rich

            self._live = Live()
        if self._live is not None:
            checks = {check.id: check for plan in plans for check in plan.checks}
            expected = frozenset[str]().union(*(plan.expected for plan in plans))
            self._live.start(checks, builds=len(plans), expected=expected)

    def watch(self, label: str, event: Event) -> None:
        """Show an event."""
        if self._live is not None:
            self._live.show(label, dict[str, Any](event))

    def stop(self) -> None:
        """Give the terminal back."""
        if self._live is not None:
            self._live.stop()
