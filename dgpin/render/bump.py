"""The answer of `dgpin bump`: what moves, why, and what a reviewer must know."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dgpin.pin.capability import RecipeChange
from dgpin.pin.move import Move, spoken_loss
from dgpin.pin.plan import Change, slug
from dgpin.render import diff as diffs
from dgpin.render import rows as rendered
from dgpin.render.document import document, summarise
from dgpin.render.terminal import Line, Renderers
from dgpin.source.commits import Commit
from dgpin.source.offhand import NotCompared
from dgpin.verdict import Row

if TYPE_CHECKING:  # most bumps have nothing to show of it
    from dgpin.source.losses import Carried

_MOST_COMMITS = 30
_MOST_STRAYS = 20

FORMS = ("text", "json", "markdown", "github", "diff")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A bump, and what was done with it. `commit` is the host's new commit.

    `carried` is what the move loses; None where it was not asked, or nothing moves. `behind` names
    the files behind sites that are links, by the sites' paths.
    """

    move: Move
    carried: "Carried | NotCompared | None" = None
    written: bool = False
    commit: str = ""
    behind: Mapping[str, str] = field(default_factory=dict)


def renderers(result: Result) -> Renderers:
    """Return every form of the result."""
    return {
        "text": lambda: text(result),
        "json": lambda: document("bump", 1, content(result)),
        "markdown": lambda: markdown(result),
        "github": lambda: github(result),
        "diff": lambda: _diff(result),
    }


def text(result: Result) -> tuple[Line, ...]:
    """Return the result as lines of text."""
    move = result.move
    return (
        *_head(move),
        *diffs.painted(_diff(result)),
        *_section("what the old source has beyond upstream", _carried(result.carried)),
        *_section("comments beside the sites (yours to mend, or --note TEXT)", _comments(move)),
        *_section("the new source asks for more than the host declares", rendered.lines(move.rows)),
        *_section("the pin is named elsewhere", _strays(move)),
        *_section("what the build may take instead", rendered.lines(_risky(move))),
        *_section("how the source is built changed", _plain(map(spoken_recipe, move.recipe))),
        *_section("lost, and accepted", _plain(map(spoken_loss, move.losses))),
        *_section("for you to do", _plain(move.cures)),
        *_foot(result),
    )


def _diff(result: Result) -> str:
    return diffs.unified(result.move.plan.edits, behind=result.behind)


def _head(move: Move) -> tuple[Line, ...]:
    found, old = move.resolved, move.target.old.commit
    names = [*found.branches[:3], *found.tags[:3], *found.pulls[:3]]
    lines: list[Line] = [
        (("pin      ", ""), (old[:12], "red"), (" → ", ""), (found.commit[:12], "green"),
         (f"  {found.kind.value} {found.asked or found.name}", "")),
        (("repo     ", ""), (_repo(move), "")),
        (("commit   ", ""), (f"{found.author_date[:10]}  {found.subject}  ({found.author})", "")),
        (("in       ", ""), (", ".join(names) or "no branch, tag or pull request", "")),
    ]  # fmt: skip
    if found.distance is not None:
        ahead, behind = found.distance.ahead, found.distance.behind
        far = f"{rendered.counted(ahead, 'commit')} ahead, {behind} behind the old pin"
        lines.append((("distance ", ""), (far, "")))
    lines.append((("sites    ", ""), (_configuration(move), "")))
    if found.notice:
        lines.append((("note     ", ""), (found.notice, "yellow")))
    return (*lines, *_changes(move), ())


def _repo(move: Move) -> str:
    old, new = move.pinned.repo, move.target.repo
    return new if old in (None, new) else f"{old} → {new}"


def _configuration(move: Move) -> str:
    config = move.config
    return f"preset {config.source} ({config.summary})" if config.is_preset else config.source


def _changes(move: Move) -> tuple[Line, ...]:
    return tuple(
        (("  ", ""), (str(change.place), "cyan"), (f"  {change.fact}: {spoken(change)}", ""))
        for change in move.plan.changes
        if change.fact != "comment"
    )


def spoken(change: Change) -> str:
    """Return a change as words: `old → new`, `+ new`, `- old`."""
    if change.old and change.new:
        return f"{change.old} → {change.new}"
    return f"+ {change.new}" if change.new else f"- {change.old}"


def spoken_recipe(change: RecipeChange) -> str:
    """Return a change of the build as words."""
    parts = [*(f"- {item}" for item in change.removed), *(f"+ {item}" for item in change.added)]
    return f"{change.fact}: {', '.join(parts)}"


def _section(title: str, lines: Iterable[Line]) -> tuple[Line, ...]:
    lines = tuple(lines)
    return ((), ((title, "bold underline"),), *lines) if lines else ()


def _plain(texts: Iterable[str]) -> tuple[Line, ...]:
    return tuple(((f"  {text}", ""),) for text in texts)


def _carried(carried: "Carried | NotCompared | None") -> tuple[Line, ...]:
    if carried is None:
        return ()
    if isinstance(carried, NotCompared):
        return _plain([_untold(carried)])
    from dgpin.render import carry  # noqa: PLC0415 - as above

    return carry.summary(carried)


def _untold(found: NotCompared) -> str:
    return f"not compared: {found.why}; `{found.command}` does it"


def _comments(move: Move) -> tuple[Line, ...]:
    lines: list[Line] = []
    for beside in move.beside:
        if not beside.stale:
            continue
        lines += [
            ((f"  {beside.block.path}:{beside.block.first + offset}", "cyan"), (f"  {line}", "dim"))
            for offset, line in enumerate(beside.block.lines)
        ]
        lines += [
            ((f"    line {word.place.line}: ", ""), (word.word, "yellow"), (f" - {word.why}", ""))
            for word in beside.stale
        ]
    return tuple(lines)


def _strays(move: Move) -> tuple[Line, ...]:
    lines: list[Line] = [
        ((f"  {stray.place}", "cyan"), (f"  {stray.kind.value}: {stray.text[:100]}", ""))
        for stray in move.strays[:_MOST_STRAYS]
    ]
    rest = len(move.strays) - _MOST_STRAYS
    return (*lines, *_plain([f"and {rest} more (-o json has them all)"] if rest > 0 else []))


def _risky(move: Move) -> tuple[Row, ...]:
    return tuple(row for row in move.hazards if row.hint)


def _foot(result: Result) -> tuple[Line, ...]:
    edits = result.move.plan.edits
    is_gits = result.move.config.gitlink is not None
    lines: list[Line] = [()]
    if not edits and is_gits and result.move.target.old.commit != result.move.resolved.commit:
        lines.append((("no file to write: the command above moves the pin", "bold"),))
    elif not edits:
        lines.append((("nothing to do: every site says so already", "bold"),))
    elif not result.written:
        lines.append(
            ((f"dry run: {rendered.counted(len(edits), 'file')} would be written", "bold"),)
        )
    else:
        lines.append(((f"{rendered.counted(len(edits), 'file')} written", "bold green"),))
    if result.commit:
        lines.append((("committed as ", ""), (result.commit[:12], "bold")))
    return tuple(lines)


def content(result: Result) -> Mapping[str, object]:
    """Return the result as JSON has it."""
    move, found = result.move, result.move.resolved
    return {
        "written": result.written,
        "host_commit": result.commit,
        "configuration": {"source": move.config.source, "preset": move.config.is_preset},
        "old": {"repo": move.pinned.repo, "commit": move.target.old.commit},
        "new": {
            "repo": move.target.repo,
            "commit": found.commit,
            "asked": found.asked,
            "kind": found.kind.value,
            "branches": list(found.branches),
            "tags": list(found.tags),
            "pulls": list(found.pulls),
            "subject": found.subject,
            "author_date": found.author_date,
            "verified": found.verified,
            "as_of": found.as_of,
        },
        "ahead": found.distance.ahead if found.distance else None,
        "behind": found.distance.behind if found.distance else None,
        "changes": [
            {
                "path": change.place.path,
                "line": change.place.line,
                "fact": change.fact,
                "old": _whole(change.old),
                "new": _whole(change.new),
            }
            for change in move.plan.changes
        ],
        "diff": _whole(_diff(result)),
        "stale_comments": [
            {"path": w.place.path, "line": w.place.line, "word": w.word, "why": w.why}
            for beside in move.beside
            for w in beside.stale
        ],
        "findings": [rendered.as_json(row) for row in move.rows],
        "hazards": [rendered.as_json(row) for row in move.hazards],
        "strays": [
            {"kind": s.kind.value, "path": s.place.path, "line": s.place.line, "text": s.text}
            for s in move.strays
        ],
        "carry": _carry(result.carried),
        "losses": [{"name": loss.name, "kind": loss.kind.value} for loss in move.losses],
        "recipe": [
            {"fact": c.fact, "removed": list(c.removed), "added": list(c.added)}
            for c in move.recipe
        ],
        "cures": list(move.cures),
    }


def _whole(text: str) -> str:
    """Return a text of which every character is one: a file's odd bytes are none in JSON."""
    return text.encode(errors="replace").decode()


def _carry(carried: "Carried | NotCompared | None") -> Mapping[str, object] | None:
    if carried is None:
        return None
    if isinstance(carried, NotCompared):
        return {"compared": False, "why": carried.why, "command": carried.command}
    from dgpin.render import carry  # noqa: PLC0415 - as above

    return {"compared": True, **carry.brief(carried)}


def markdown(result: Result) -> str:
    """Return the text of a pull request."""
    move = result.move
    old, new = move.target.old.commit, move.resolved.commit
    parts = [
        f"## Move DeepGEMM from `{old[:8]}` to `{new[:8]}`\n",
        _from_to(move),
        _facts(move),
        _sites(move),
    ]
    if move.log is not None and move.log.commits:
        parts.append(_commits(move.log.commits, slug(move.target.repo)))
    if move.rows:
        parts.append("### Asks for more than the host declares\n\n" + rendered.markdown(move.rows))
    if move.losses:
        losses = "".join(f"- {rendered.cell(spoken_loss(loss))}\n" for loss in move.losses)
        parts.append("### Lost, and accepted\n\n" + losses)
    parts.append(_carried_over(result.carried))
    return "\n".join(part for part in parts if part)


def _sites(move: Move) -> str:
    shown = "".join(
        f"- {rendered.code(str(change.place))}: {change.fact} {rendered.cell(spoken(change))}\n"
        for change in move.plan.changes
        if change.fact != "comment"
    )
    return f"### Sites\n\n{shown}" if shown else ""


def _carried_over(carried: "Carried | NotCompared | None") -> str:
    if carried is None:
        return ""
    if isinstance(carried, NotCompared):
        return f"### What the old source has beyond upstream\n\n{_untold(carried)}\n"
    from dgpin.render import carry  # noqa: PLC0415 - as above

    return carry.markdown(carried, heading="###")


def _from_to(move: Move) -> str:
    found = move.resolved
    link = f" ([compare]({move.log.compare}))" if move.log and move.log.compare else ""
    where = ", ".join([*found.branches[:3], *found.tags[:3], *found.pulls[:3]])
    return (
        f"{slug(move.pinned.repo or move.target.repo)}@{move.target.old.commit} → "
        f"{slug(move.target.repo)}@{found.commit}{link}\n\n"
        f"{found.author_date[:10]}, {_subject(found.subject, slug(move.target.repo))}. "
        f"In: {rendered.cell(where) or 'no branch or tag'}.\n"
    )


def _facts(move: Move) -> str:
    old, new = move.target.old, move.target.new
    rows = []
    for name in sorted({*old.facts, *new.facts} - _SELF_EVIDENT):
        before, after = old.facts.get(name), new.facts.get(name)
        one = _value(before.value) if before else ""
        other = _value(after.value) if after else ""
        if one != other:
            rows.append(f"| {name} | {rendered.cell(one)} | {rendered.cell(other)} |\n")
    if not rows:
        return ""
    return "### Facts that changed\n\n| fact | old | new |\n| --- | --- | --- |\n" + "".join(rows)


# Long lists that a reviewer finds in the diff, the losses or `diff-api`.
_SELF_EVIDENT = {"commit", "files", "exports", "families"}


def _value(value: str | tuple[str, ...]) -> str:
    return value if isinstance(value, str) else ", ".join(value)


def _commits(commits: tuple[Commit, ...], repository: str) -> str:
    shown = "".join(
        f"- `{c.sha[:8]}` {c.date[:10]} {_subject(c.subject, repository)} "
        f"({rendered.cell(c.author)})\n"
        for c in commits[:_MOST_COMMITS]
    )
    rest = len(commits) - _MOST_COMMITS
    return f"### {rendered.counted(len(commits), 'commit')}\n\n{shown}" + (
        f"- and {rest} more\n" if rest > 0 else ""
    )


_REFERENCE = re.compile(r"(?<![\w/&])#(?=[0-9])")
_MENTION = re.compile(r"(?<![\w`])@[A-Za-z0-9][A-Za-z0-9/-]*")


def _subject(subject: str, repository: str) -> str:
    """Return a commit's subject for the text of the host's pull request.

    There `#5` would be the host's own, `fixes #5` would close it, and `@name` would call someone.
    """
    told = _REFERENCE.sub(f"{repository}#", subject)
    return rendered.cell(_MENTION.sub(r"`\g<0>`", told))


def message(result: Result) -> str:
    """Return the message of the host's commit: a subject, and the pull request's text."""
    new = result.move.resolved.commit[:8]
    return f"Move DeepGEMM to {new}\n\n{markdown(result)}"


def github(result: Result) -> str:
    """Return annotations for what the host must still do, and write the step summary."""
    summarise(markdown(result))
    return rendered.annotations(result.move.rows)
