"""What is verified: the host, the pin, and the commit that it moves to."""

from dataclasses import dataclass

from dgpin.errors import UnavailableError
from dgpin.pin import move
from dgpin.pin.host import Fit, Host
from dgpin.pin.pinned import Pinned, read_pinned
from dgpin.pin.sources import Mirrors
from dgpin.source.resolve import Resolved
from dgpin.verdict import Place
from dgpin.verify.answer import Point
from dgpin.verify.known import Known, commit
from dgpin.verify.request import Request

_FULL = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The pin and, for a move, where it goes. `old` is None for the pin as it stands.

    `mirrors` is None where the repository cannot be asked; `known` then answers from the cache.
    """

    host: Host
    fit: Fit
    link: tuple[str, Place] | None
    pinned: Pinned
    old: Point | None
    new: Point
    resolved: Resolved | None
    mirrors: Mirrors | None
    known: Known

    @property
    def sources(self) -> Mirrors | Known:
        """Whom to ask for commits and facts."""
        return self.mirrors or self.known


def find(request: Request, host: Host, fit: Fit, link: tuple[str, Place] | None) -> Subject:
    """Look up both sides.

    Raises:
        RefusedError: another repository has the commit.
        UsageError: the repository has no such commit, branch or tag; nothing names a repository.
        UnavailableError: the repository cannot be asked and nothing here knows the REF.
    """
    pinned = read_pinned(fit.reading, gitlink=link)
    own = None if fit.config.is_preset else fit.config.repo
    is_move = request.ref is not None  # an empty one is wrong, and not the pin as it stands
    repo = request.repo or (own if is_move else None) or pinned.repo or own
    if repo is None:
        raise move.NoRepositoryError
    repo = repo.removesuffix(".git").rstrip("/")
    mirrors = Mirrors(fetch=not request.offline, others=fit.config.others, allow_unreachable=True)
    resolved: Resolved | None = None
    why = ""
    try:
        ref = request.ref if is_move else pinned.ref
        # A branch or tag is asked for as bump does; the pin itself states what it is.
        resolved = mirrors.resolve(ref, repo=repo, follow=fit.config.branch(repo), old=None)
        new = resolved.commit
    except UnavailableError as error:
        why = error.message
        new = commit(request.ref or pinned.commit or "") or ""
        if not new and is_move and request.new is None:
            raise
    old = _old(pinned, mirrors, repo) if is_move else None
    return Subject(
        host=host,
        fit=fit,
        link=link,
        pinned=pinned,
        old=Point(repo=pinned.repo or repo, commit=old, given=request.old or "")
        if old is not None
        else None,
        new=Point(repo=repo, commit=new, given=request.new or ""),
        resolved=resolved,
        mirrors=None if why else mirrors,
        known=Known(why),
    )


def _old(pinned: Pinned, mirrors: Mirrors, repo: str) -> str:
    if pinned.commit is not None and len(pinned.commit) == _FULL:
        return pinned.commit
    try:
        found = mirrors.resolve(pinned.ref, repo=pinned.repo or repo, follow=None, old=None)
    except UnavailableError:
        return commit(pinned.commit or "") or ""
    return found.commit
