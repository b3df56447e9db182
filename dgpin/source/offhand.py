"""What a move loses, where that can be told at once: from the cache, or a history at hand."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from dgpin.errors import DgpinError, UnavailableError

if TYPE_CHECKING:  # `bump` starts without them, and GitPython is loaded with the first mirror
    from dgpin.source.git import Mirror
    from dgpin.source.losses import Carried
    from dgpin.source.sides import Side

LIMIT = 3.0  # seconds for git; the whole history of DeepGEMM takes two
_SHORT = 12


class Pair(NamedTuple):
    """Two commits, each with its repository, and what counts as their upstream."""

    old_repo: str
    old: str
    new_repo: str
    new: str
    upstream: str | None = None
    branch: str | None = None  # of upstream; None: its default branch


class NotCompared(NamedTuple):
    """Two commits were not held against each other: why, and the command that does it."""

    why: str
    command: str


def carried(pair: Pair, accepted: Mapping[str, str]) -> "Carried | NotCompared":
    """Return what the new commit loses of the old one; nothing is fetched.

    `accepted` is as in `losses.accept`.
    """
    from dgpin.source import kept  # noqa: PLC0415 - as above
    from dgpin.source.operands import Operands  # noqa: PLC0415 - as above

    operands = Operands(pair.new_repo, fetch=False)
    try:
        old = _side(operands.mirror(pair.old_repo), pair.old)
        new = _side(operands.mirror(pair.new_repo), pair.new)
        upstream = operands.tip(pair.upstream, pair.branch) if pair.upstream else None
        return kept.carried(old, new, upstream=upstream, accepted=accepted, limit=LIMIT)
    except DgpinError as error:
        return NotCompared(why=error.message.partition("\n")[0], command=_command(pair))


def _side(mirror: "Mirror", commit: str) -> "Side":
    from dgpin.source import sides  # noqa: PLC0415 - as above

    if not mirror.has(commit):
        raise AbsentError(commit, mirror.address.shown)
    return sides.of_commit(mirror, commit, label=commit[:_SHORT])


def _command(pair: Pair) -> str:
    import shlex  # noqa: PLC0415 - as above

    repo = shlex.quote(pair.new_repo)
    where = f" --repo {repo}" if pair.new_repo != pair.old_repo else ""
    return f"dgpin carry {pair.old[:_SHORT]} {pair.new[:_SHORT]}{where}"


class AbsentError(UnavailableError):
    """A mirror at hand has not heard of a commit."""

    hint = "Run the same command once with network."

    def __init__(self, commit: str, shown: str) -> None:
        super().__init__(f"the mirror of {shown} does not have {commit[:_SHORT]}")
