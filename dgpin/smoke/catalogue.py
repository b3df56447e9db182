"""Every check that there is, found by its file."""

import importlib
import pkgutil
from collections.abc import Sequence

from dgpin.errors import UsageError
from dgpin.smoke import checks
from dgpin.smoke.case import Check


def load() -> tuple[Check, ...]:
    """Return all checks: the core first, those that may fault last, then by name."""
    found = []
    for module in pkgutil.iter_modules(checks.__path__):
        check = importlib.import_module(f"{checks.__name__}.{module.name}").CHECK
        found.append(check)
    return tuple(sorted(found, key=lambda check: (check.level, check.may_fault, check.id)))


def select(
    known: Sequence[Check],
    *,
    level: int,
    arch: str | None = None,
    only: Sequence[str] = (),
    skip: Sequence[str] = (),
) -> tuple[Check, ...]:
    """Return the checks of a run: those named by `only`, else those up to `level`.

    Raises:
        UsageError: a name that no check has.
    """
    names = {check.id for check in known}
    for option, words in (("--only", only), ("--skip", skip)):
        for word in words:
            if word not in names:
                raise UsageError(
                    f"{option} {word}: there is no such check",
                    hint="`dgpin smoke --list` names them all.",
                )
    wanted = [check for check in known if (check.id in only if only else check.level <= level)]
    return tuple(
        check for check in wanted if check.id not in skip and (arch is None or arch in check.arches)
    )


def capabilities(known: Sequence[Check]) -> tuple[str, ...]:
    """Return the names that `--expect` takes."""
    return tuple(sorted({name for check in known for name in check.capabilities}))
