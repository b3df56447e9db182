"""Does the pinned repository offer the pinned commit? Asked of the repository itself."""

from dgpin.pin.facts import Facts
from dgpin.pin.pinned import Pinned
from dgpin.pin.sources import Sources
from dgpin.source.resolve import (
    AmbiguousRefError,
    Resolved,
    UnknownRefError,
    UnreachableError,
)
from dgpin.verdict import Row, Verdict

_NAME_IT = "Name it in dgpin.toml: [pin] repo."


def ask(pinned: Pinned, sources: Sources) -> tuple[Facts | None, tuple[Row, ...]]:
    """Return the facts of the pinned commit, and the verdict on where it is.

    Raises:
        FetchError: the repository could not be reached.
    """
    if pinned.ref is None:
        return None, ()
    if pinned.repo is None:
        why = "nothing says which repository the pin is in"
        return None, (_row(pinned, Verdict.UNKNOWN, why, hint=_NAME_IT),)
    try:
        found = sources.resolve(pinned.ref, repo=pinned.repo, follow=None, old=None)
    except (AmbiguousRefError, UnknownRefError, UnreachableError) as error:
        return None, (_row(pinned, Verdict.FAIL, error.message, hint=error.hint),)
    verdict = Verdict.PASS if found.is_reachable else Verdict.FAIL
    hint = "" if found.is_reachable else UnreachableError.hint
    return (
        sources.facts(pinned.repo, found.commit),
        (_row(pinned, verdict, _where(found), hint=hint),),
    )


def _where(found: Resolved) -> str:
    names = [*found.branches, *found.tags, *found.pulls]
    if not names:
        return f"{found.repository} has the commit, but no branch, tag or pull request contains it"
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""  # noqa: PLR2004 - a few will do
    return f"{found.repository} has the commit, in {', '.join(names[:3])}{more}"


def _row(pinned: Pinned, verdict: Verdict, message: str, *, hint: str) -> Row:
    places = pinned.places("commit") or pinned.places("wheel") or pinned.places("version")
    return Row(rule="commit-offered", verdict=verdict, message=message, places=places, hint=hint)
