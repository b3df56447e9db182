"""The answer of `dgpin carry`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from dgpin.render.document import document
from dgpin.render.rows import cell, code
from dgpin.render.terminal import Line, Renderers
from dgpin.source.commits import Commit
from dgpin.source.families import Family, Kind
from dgpin.source.losses import Carried, Loss, LostLine
from dgpin.source.survival import Fate
from dgpin.verdict import Place

FORMS = ("text", "json", "markdown")
MOST_LINES = 6  # of one loss; JSON has them all
MOST_LOSSES = 20  # that do not look like fixes


def renderers(carried: Carried) -> Renderers:
    """Return every form of the answer."""
    return {
        "text": lambda: text(carried),
        "json": lambda: document("carry", 1, content(carried)),
        "markdown": lambda: markdown(carried),
    }


def text(carried: Carried) -> tuple[Line, ...]:
    """Return the answer as lines of text: lost fixes, dropped families, the rest."""
    fixes = [loss for loss in carried.losses if loss.is_fix]
    rest = [loss for loss in carried.losses if not loss.is_fix and not loss.is_changed]
    return (
        (("old      ", ""), (carried.old, "bold")),
        (("new      ", ""), (carried.new, "bold")),
        (("upstream ", ""), (carried.upstream or "none named", "")),
        *_titled("Lost, and looks like a fix", (line for loss in fixes for line in _full(loss))),
        *_titled("Dropped as a whole", map(_family, carried.families)),
        *_titled("Lost", _brief(rest)),
        *_titled("Changed again, not lost", _brief(carried.changed)),
        *_titled("Left out: upstream or the new source has the patch", map(_out, carried.left_out)),
        *_titled("Not compared: the new source has no such directory", _names(carried)),
        ((verdict(carried), "bold"),),
    )


def summary(carried: Carried) -> tuple[Line, ...]:
    """Return a few lines for an answer that has more to say, such as that of `bump`."""
    return (
        (("  ", ""), (verdict(carried), "bold")),
        *(
            (("  ", ""), (_name(loss), "yellow"), (f"  {loss.title}{_where(loss)}", ""))
            for loss in carried.fixes[:MOST_LINES]
        ),
        *(_family(family) for family in carried.families if family.kind is not Kind.FILE),
        ((f"  more: dgpin carry {carried.old} {carried.new}", "dim"),),
    )


def verdict(carried: Carried) -> str:
    """Return the answer in one sentence."""
    fixes, accepted = len(carried.fixes), sum(bool(loss.accepted) for loss in carried.losses)
    said = [
        f"{_count(fixes, 'change')} that {'look' if fixes != 1 else 'looks'} like a fix "
        f"{'are' if fixes != 1 else 'is'} lost"
        if fixes
        else "no change that looks like a fix is lost",
        *([f"{accepted} accepted"] if accepted else []),
        *(
            [f"{_count(len(carried.families), 'family', 'families')} dropped"]
            * bool(carried.families)
        ),
        *([f"{_count(len(carried.changed), 'change')} changed again"] * bool(carried.changed)),
    ]
    return ", ".join(said)


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _titled(title: str, lines: Iterable[Line]) -> Iterator[Line]:
    found = tuple(lines)
    if found:
        yield (("", ""),)
        yield ((title, "bold"),)
        yield from found


def _name(loss: Loss) -> str:
    return loss.id[:12] if loss.commit is not None else loss.id


def _where(loss: Loss) -> str:
    there = loss.first.there
    return f" ({there})" if there.path else ""


def _head(loss: Loss) -> Line:
    whence = f"{loss.commit.date[:10]}  {loss.commit.author}  " if loss.commit else ""
    return (("  ", ""), (_name(loss), "yellow"), (f"  {whence}", ""), (loss.title, "bold"))


def _full(loss: Loss) -> Iterator[Line]:
    yield _head(loss)
    alive = f"{loss.surviving} of {loss.living} lines survive; " if loss.commit else ""
    yield (("    ", ""), (f"{alive}it {', '.join(loss.likeness.reasons)}", "italic"))
    if loss.accepted:
        yield (("    ", ""), (f"accepted: {loss.accepted}", "green"))
    yield from _lines(_chosen(loss))
    if (more := len(loss.lines) - MOST_LINES) > 0:
        yield ((f"           and {_count(more, 'more line')}", ""),)


def _chosen(loss: Loss) -> list[LostLine]:
    """Return the lines to show, in their order; where there are too many, the telling ones."""
    best = sorted(loss.lines, key=lambda line: not line.telling)[:MOST_LINES]
    return [line for line in loss.lines if line in best]


def _lines(lines: Sequence[LostLine]) -> Iterator[Line]:
    """Yield lost lines under their files, and what stands in their place."""
    for files, group in groupby(lines, key=lambda line: (line.here.path, line.there.path)):
        yield (("    ", ""), (_files(*files), "cyan"))
        for place, together in groupby(group, key=lambda line: (line.there, line.now)):
            kept = tuple(together)
            for line in kept:
                yield ((f"    {line.here.line:5} ", "cyan"), (f"- {line.text}", "red"))
            yield from _place(kept[-1], place[1])


def _files(old: str, new: str) -> str:
    if not new:
        return f"{old}, which is gone"
    return old if old == new else f"{old}, now in {new}"


def _place(line: LostLine, now: str) -> Iterator[Line]:
    around = f"in {line.function}" if line.function else ""
    if now:
        number = (f"    {line.there.line:5} ", "cyan")
        yield (number, (f"+ {now}", "green"), (f"  {around}" if around else "", "italic"))
    elif line.there.path:
        place = f"would stand at line {line.there.line}"
        yield (("            ", ""), (f"{place}, {around}" if around else place, "italic"))


def _brief(losses: Sequence[Loss]) -> Iterator[Line]:
    for loss in losses[:MOST_LOSSES]:
        yield (*_head(loss), (f"  {len(loss.lines)} of {_count(loss.living, 'line')}", ""))
    if len(losses) > MOST_LOSSES:
        yield ((f"  and {len(losses) - MOST_LOSSES} more, which -o json names", ""),)


def _family(family: Family) -> Line:
    commits = f", {_count(len(family.commits), 'commit')}" if family.commits else ""
    size = f"{_count(len(family.files), 'file')}, {_count(family.lines, 'line')}{commits}"
    return (("  ", ""), (f"{family.kind.value} {family.name}", "yellow"), (f"  {size}", ""))


def _out(commit: Commit) -> Line:
    return ((f"  {commit.sha[:12]}  {commit.subject}", ""),)


def _names(carried: Carried) -> Iterator[Line]:
    return (((f"  {name}", ""),) for name in carried.not_compared)


def content(carried: Carried) -> Mapping[str, object]:
    """Return the answer as JSON has it."""
    return {
        "old": carried.old,
        "new": carried.new,
        "new_commit": carried.new_commit or None,
        "upstream": carried.upstream or None,
        "fixes": len(carried.fixes),
        "losses": [_loss(loss) for loss in carried.losses],
        "families": [
            {
                "kind": family.kind.value,
                "name": family.name,
                "files": list(family.files),
                "lines": family.lines,
                "commits": list(family.commits),
            }
            for family in carried.families
        ],
        "left_out": [_commit(commit) for commit in carried.left_out],
        "not_compared": list(carried.not_compared),
    }


def brief(carried: Carried) -> Mapping[str, object]:
    """Return what `summary` says as JSON has it."""
    return {
        "verdict": verdict(carried),
        "fixes": [
            {
                "id": loss.id,
                "title": loss.title,
                "accepted": loss.accepted or None,
                "here": _place_of(loss.first.here),
                "there": _place_of(loss.first.there),
            }
            for loss in carried.losses
            if loss.is_fix
        ],
        "families": [
            {"kind": family.kind.value, "name": family.name} for family in carried.families
        ],
    }


def _place_of(place: Place) -> Mapping[str, object] | None:
    return {"path": place.path, "line": place.line} if place.path else None


def _loss(loss: Loss) -> Mapping[str, object]:
    return {
        "id": loss.id,
        "title": loss.title,
        "commit": _commit(loss.commit) if loss.commit is not None else None,
        "fix": loss.is_fix,
        "changed": loss.is_changed,
        "accepted": loss.accepted or None,
        "score": loss.likeness.score,
        "reasons": list(loss.likeness.reasons),
        "living": loss.living,
        "surviving": loss.surviving,
        "lines": [
            {
                "here": _place_of(line.here),
                "text": line.text,
                "fate": line.fate.value,
                "there": _place_of(line.there),
                "function": line.function or None,
                "now": line.now or None,
                "telling": line.telling,
            }
            for line in loss.lines
        ],
    }


def _commit(commit: Commit) -> Mapping[str, str]:
    return {
        "sha": commit.sha,
        "subject": commit.subject,
        "author": commit.author,
        "date": commit.date,
    }


def markdown(carried: Carried, *, heading: str = "##") -> str:
    """Return the answer as Markdown, for a pull request."""
    fixes = [loss for loss in carried.losses if loss.is_fix]
    parts = [f"{heading} dgpin carry: {verdict(carried)}\n\n`{carried.old}` → `{carried.new}`\n"]
    if fixes:
        rows = [
            f"| `{_name(loss)}` | {cell(loss.title)} | {loss.surviving} of {loss.living} "
            f"| {code(loss.first.text)} | {_standing(loss.first)} "
            f"| {cell(loss.accepted)} |\n"
            for loss in fixes
        ]
        parts.append(
            "| change | what | lines that survive | lost line | where it would stand "
            f"| accepted |\n| --- | --- | --- | --- | --- | --- |\n{''.join(rows)}"
        )
    if carried.families:
        items = [
            f"- {family.kind.value} `{family.name}`: {_count(len(family.files), 'file')}, "
            f"{_count(family.lines, 'line')}\n"
            for family in carried.families
        ]
        parts.append(f"Dropped as a whole:\n\n{''.join(items)}")
    return "\n".join(parts)


def _standing(line: LostLine) -> str:
    if not line.there.path:
        return "its file is gone"
    now = f", now {code(line.now)}" if line.fate is Fate.LOST and line.now else ""
    return f"`{line.there}`{now}"
