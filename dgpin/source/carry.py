"""Which changes that an old source has beyond its upstream do not survive in a new one?"""

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from dgpin.errors import UnavailableError
from dgpin.source import blame, families, folding
from dgpin.source.blame import History
from dgpin.source.commits import Commit
from dgpin.source.folding import Origins
from dgpin.source.losses import Carried, Loss
from dgpin.source.sides import Side
from dgpin.source.survival import Comparison, Text

MOST = 0.5  # of a file's telling lines must be its own for its loss to be one of a whole file


class NothingComparedError(UnavailableError):
    """Two sides have no directory of sources in common, so nothing could be missed."""

    hint = "Name two DeepGEMM sources, or two `deep_gemm` packages."

    def __init__(self, old: Side, new: Side) -> None:
        super().__init__(
            f"{old.label} and {new.label} have no directory in common that holds a source file"
        )


def carry(
    old: Side, new: Side, *, upstream: Side | None = None, limit: float | None = None
) -> Carried:
    """Return what of the old source is lost in the new one.

    With a history on the old side, lines are folded by the commit that last wrote them; without
    one, by hunk. What `upstream` has is no loss. `limit` is in seconds, of which git may take all.

    Raises:
        NothingComparedError: the sides have no directory in common.
        UnavailableError: the history could not be read, or not in time.
    """
    if old.commit and old.commit in {side.commit for side in (new, upstream) if side is not None}:
        return Carried(
            old=old.label, new=new.label, upstream=_label(upstream), new_commit=new.commit
        )
    deadline = time.monotonic() + limit if limit is not None else None
    texts, not_compared = _comparable(old.texts, new.texts)
    if not texts:
        raise NothingComparedError(old, new)
    beyond = Comparison(texts, upstream.texts) if upstream is not None else None
    own = beyond.gone if beyond is not None else {p: t.numbers() for p, t in texts.items()}
    # git reads the history while Python compares the texts.
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(_origins, old, new, upstream, own=own, beyond=beyond, deadline=deadline)
        comparison = Comparison(texts, new.texts)
        origins = asked.result()
    if origins is not None:
        own = {path: _written(numbers, origins.authors[path]) for path, numbers in own.items()}
    missing = {path: len(own[path]) for path in _whole(comparison, own)}
    dropped = families.dropped(missing, new.texts)
    gone = {
        path: numbers & own[path]
        for path, numbers in comparison.gone.items()
        if path in own and path not in missing
    }
    left_out: tuple[Commit, ...] = ()
    if origins is None:
        folded = folding.by_hunk(comparison, gone, dropped)
    else:
        folded = folding.by_commit(comparison, gone, own, dropped, origins)
        left_out = tuple(origins.commits[sha] for sha in folded.left_out)
    return Carried(
        old=old.label,
        new=new.label,
        upstream=_label(upstream),
        new_commit=new.commit,
        losses=tuple(sorted(folded.losses, key=_rank)),
        families=folded.families,
        left_out=left_out,
        not_compared=not_compared,
    )


def _label(side: Side | None) -> str:
    return side.label if side is not None else ""


def _comparable(
    old: Mapping[str, Text], new: Mapping[str, Text]
) -> tuple[dict[str, Text], tuple[str, ...]]:
    """Return the old texts that the new side could have, and the directories that it cannot.

    A package has no `csrc` and no `tests`; that says nothing about what was dropped.
    """
    there = {_top(path) for path in new}
    absent = {_top(path) for path in old} - there
    kept = {path: text for path, text in old.items() if _top(path) not in absent}
    return kept, tuple(sorted(top or "." for top in absent))


def _written(numbers: set[int], authors: Sequence[str]) -> set[int]:
    """Return the lines that a commit beyond upstream wrote."""
    return {number for number in numbers if authors[number]}


def _top(path: str) -> str:
    head, slash, _ = path.partition("/")
    return head if slash else ""


def _whole(comparison: Comparison, own: Mapping[str, set[int]]) -> Iterator[str]:
    """Yield the old side's own files that are gone as a whole."""
    for path, numbers in own.items():
        text = comparison.old[path]
        lost = comparison.gone.get(path, set()) & numbers
        mine = len(numbers) > MOST * len(text.numbers())
        if path not in comparison.partners and mine and len(lost) > MOST * len(numbers):
            yield path


def _origins(
    old: Side,
    new: Side,
    upstream: Side | None,
    *,
    own: Mapping[str, set[int]],
    beyond: Comparison | None,
    deadline: float | None,
) -> Origins | None:
    if old.mirror is None:
        return None
    others = [side for side in (new, upstream) if side is not None and side.mirror is not None]
    for side in (old, *others):
        if side.mirror is not None:
            side.mirror.bring_history(side.commit)
    lent = (side.mirror.path for side in others if side.mirror is not None)
    history = History(old.mirror.path, tuple(lent), deadline)
    # What the new source's own history had, it gave up on purpose.
    limits = [side.commit for side in others]
    authors = blame.authors(history, old.commit, tuple(own), beyond=limits)
    excluded = frozenset(
        sha for side in others for sha in blame.equivalents(history, old.commit, of=side.commit)
    )
    shas = {sha for lines in authors.values() for sha in lines if sha}
    known: dict[str, frozenset[str]] = {}
    if beyond is not None:
        known = {path: beyond.new[there].telling for path, there in beyond.partners.items()}
    return Origins(
        history=history,
        authors=authors,
        excluded=excluded,
        upstream=known,
        commits={commit.sha: commit for commit in old.mirror.describe_all(sorted(shas))},
    )


def _rank(loss: Loss) -> tuple[bool, bool, int, int, str]:
    """Return what sorts losses: those that look most like fixes first."""
    place = str(loss.lines[0].here)
    return not loss.is_fix, loss.is_changed, -loss.likeness.score, len(loss.lines), place
