"""The answer of `dgpin verify`: one screen, and one evidence file."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from dgpin.render import rows as rendered
from dgpin.render.document import document, summarise
from dgpin.render.rows import MARKS, cell
from dgpin.render.terminal import Line, Renderers
from dgpin.verdict import Row, Verdict
from dgpin.verify.answer import SHORT, Answer, Point, Step, Verified
from dgpin.verify.request import Document

if TYPE_CHECKING:
    from dgpin.api.lint import Lint
    from dgpin.smoke.report import Report
    from dgpin.source.losses import Carried
    from dgpin.verify.api_step import Compared
    from dgpin.verify.build_step import Built
    from dgpin.verify.check_step import Checked

FORMS = ("text", "json", "markdown", "github")
MOST_ROWS = 3  # of one step on the screen
WIDTH = 100  # columns of the screen
LONGEST_PLACE = 40  # columns of it
_INDENT = " " * 10


def renderers(verified: Verified) -> Renderers:
    """Return every form of the answer."""
    return {
        "text": lambda: text(verified),
        "json": lambda: document("verify", 1, content(verified)),
        "markdown": lambda: markdown(verified),
        "github": lambda: github(verified),
    }


# Text: one screen.


def text(verified: Verified) -> tuple[Line, ...]:
    """Return the answer as lines of text: a block for each step, and the verdict."""
    return (
        *_head(verified),
        *(line for answer in verified.answers for line in _block(answer)),
        *_end(verified),
    )


def _head(verified: Verified) -> Iterator[Line]:
    sides = [("pin", verified.new)]
    if verified.old is not None:
        sides = [("pin", verified.old), ("to", verified.new)]
    for name, point in sides:
        yield ((f"{name:8}", ""), (cut(_point(point), WIDTH - 8), "bold"))


def _subject(verified: Verified) -> str:
    if verified.old is None:
        return f"the pin {_point(verified.new)}"
    return f"{_point(verified.old)} → {_point(verified.new)}"


def _point(point: Point) -> str:
    where = "/".join(point.repo.split("/")[-2:])
    name = f"{point.commit[:SHORT] or '(not known)'} of {where}"
    return f"{name}, as {point.given}" if point.given else name


def _block(answer: Answer) -> Iterator[Line]:
    word, style = MARKS[answer.verdict]
    summary = cut(answer.summary, WIDTH - 18)
    yield ((f"{word:8}", style), (f"{answer.step.value:9} ", "bold"), (summary, ""))
    odd, new = _odd(answer), [row for row in answer.rows if row.rule == "packages"]
    for row in (*odd[:MOST_ROWS], *new[:1]):
        yield from _row(row)
    rest = len(odd) - MOST_ROWS
    if not answer.more and odd and odd[0].hint:
        yield ((_INDENT, ""), (cut(odd[0].hint, WIDTH - len(_INDENT)), "italic"))
    elif answer.more and answer.verdict is not Verdict.PASS:
        more = f"and {rest} more: " if rest > 0 else "more: "
        yield ((_INDENT, ""), (cut(f"{more}{answer.more}", WIDTH - len(_INDENT)), "dim"))


def _odd(answer: Answer) -> list[Row]:
    """Return what did not pass. The architectures stand in the last line."""
    odd = [row for row in answer.rows if row.verdict is not Verdict.PASS]
    return [row for row in odd if answer.step is not Step.SMOKE or not row.rule.startswith("sm_")]


def _row(row: Row) -> Iterator[Line]:
    more = f" +{len(row.places) - 1}" if len(row.places) > 1 else ""
    place = f"  {_short(str(row.places[0]))}{more}" if row.places else ""
    style = "red" if row.verdict.is_finding else "yellow" if row.verdict.value != "pass" else ""
    message = cut(row.message, WIDTH - len(_INDENT) - len(place))
    yield ((_INDENT, ""), (message, style), (place, "cyan"))


def _short(place: str) -> str:
    """Return a place that leaves room for the message: its last part, or the end of that."""
    if len(place) <= LONGEST_PLACE:
        return place
    last = f"/{place.rpartition('/')[2]}"
    return f"…{last[1 - LONGEST_PLACE :]}"


def cut(message: str, room: int) -> str:
    """Return a message on one line, shortened where there is no room for it."""
    flat = " ".join(message.split())
    return flat if len(flat) <= room else f"{flat[: room - 1]}…"


def _end(verified: Verified) -> Iterator[Line]:
    word, style = MARKS[verified.verdict]
    named = "; ".join(
        f"{'in' if verdict is verified.verdict else f'{verdict.value}:'} {', '.join(steps)}"
        for verdict, steps in _by_verdict(verified)
    )
    yield (
        ("verdict ", "bold"),
        (f"{word:9} ", style),
        (f"{named}  ({verified.seconds:.1f} s)", ""),
    )
    if verified.unproved:
        why = _why(verified)
        yield (
            (_INDENT, ""),
            (cut(f"not proved on {', '.join(verified.unproved)}{why}", WIDTH - 10), "yellow"),
        )


def _why(verified: Verified) -> str:
    said = {row.message.partition(": ")[2] for row in verified.architectures if row.hint}
    return f": {said.pop()}; `dgpin ci` writes the pipeline" if len(said) == 1 else ""


def _by_verdict(verified: Verified) -> Iterator[tuple[Verdict, list[str]]]:
    for verdict in sorted(Verdict, key=lambda each: each is not verified.verdict):
        steps = [a.step.value for a in verified.answers if a.verdict is verdict]
        if steps:
            yield verdict, steps


# JSON: the evidence.


def _whole(command: str, content: Mapping[str, object]) -> dict[str, object]:
    whole: dict[str, object] = json.loads(document(command, 1, content))
    return whole


# A renderer is imported for a fresh answer only: one that is kept has its document.


def _check(found: Any) -> Mapping[str, object]:  # noqa: ANN401 - narrowed here
    from dgpin.pin.move import Move  # noqa: PLC0415 - see above
    from dgpin.render import bump, check  # noqa: PLC0415 - the same

    if isinstance(found, Move):
        return _whole("bump", bump.content(bump.Result(move=found)))
    checked: Checked = found
    answer = check.Answer(
        root=checked.subject.host.root,
        fit=checked.fit,
        pinned=checked.pinned,
        rows=checked.rows,
    )
    return _whole("check", check.content(answer))


def _api(found: Any) -> Mapping[str, object]:  # noqa: ANN401 - narrowed here
    from dgpin.render import host_impact  # noqa: PLC0415 - see above

    compared: Compared = found
    whole: dict[str, object] = json.loads(host_impact.as_json(compared.report, compared.impact))
    return whole


def _lint(found: Any) -> Mapping[str, object]:  # noqa: ANN401 - narrowed here
    from dgpin.render import lint  # noqa: PLC0415 - see above

    answer: Lint = found
    return _whole("lint", lint.content(answer))


def _carry(found: Any) -> Mapping[str, object]:  # noqa: ANN401 - narrowed here
    from dgpin.render import carry  # noqa: PLC0415 - see above

    carried: Carried = found
    return _whole("carry", carry.content(carried))


def _build(found: Any) -> Mapping[str, object]:  # noqa: ANN401 - narrowed here
    from dgpin.render import build  # noqa: PLC0415 - see above

    built: Built = found
    answer = build.Answer(
        jobs=(built.job,),
        preflights=(built.preflight,),
        results=(built.result,) if built.result is not None else (),
    )
    return _whole("build", build.content(answer))


def _smoke(found: Any) -> Mapping[str, object]:  # noqa: ANN401 - narrowed here
    from dgpin.render import smoke  # noqa: PLC0415 - see above

    report: Report = found
    return _whole("smoke", smoke.content(report))


DOCUMENTS: Mapping[Step, Document] = {
    Step.CHECK: _check,
    Step.API: _api,
    Step.LINT: _lint,
    Step.CARRY: _carry,
    Step.BUILD: _build,
    Step.SMOKE: _smoke,
}


def content(verified: Verified) -> Mapping[str, object]:
    """Return the answer as JSON has it."""
    return {
        "host": verified.host,
        "when": verified.when,
        "seconds": verified.seconds,
        "verdict": verified.verdict.value,
        "old": _side(verified.old) if verified.old is not None else None,
        "new": _side(verified.new),
        "required": list(verified.required),
        "architectures": [
            {
                "architecture": row.rule,
                "verdict": row.verdict.value,
                "message": row.message,
                "hint": row.hint,
            }
            for row in verified.architectures
        ],
        "steps": [_step(answer) for answer in verified.answers],
    }


def _side(point: Point) -> Mapping[str, object]:
    return {
        "repo": point.repo,
        "commit": point.commit or None,
        "given": point.given or None,
    }


def _step(answer: Answer) -> Mapping[str, object]:
    return {
        "step": answer.step.value,
        "verdict": answer.verdict.value,
        "summary": answer.summary,
        "rows": [rendered.as_json(row) for row in answer.rows],
        "more": answer.more,
        "seconds": answer.seconds,
        "reused": answer.reused,
        "evidence": answer.evidence,
    }


# Markdown and GitHub.


def markdown(verified: Verified) -> str:
    """Return the answer as Markdown, for the pull request."""
    lines = [
        f"## dgpin verify: {verified.verdict.value}",
        "",
        f"{cell(_subject(verified))}",
        "",
        "| step | verdict | what |",
        "| --- | --- | --- |",
        *(f"| {a.step.value} | {a.verdict.value} | {cell(a.summary)} |" for a in verified.answers),
        *(
            f"| {row.rule} | {row.verdict.value} | {cell(row.message)} |"
            for row in verified.architectures
        ),
        "",
    ]
    return "\n".join([*lines, *_sections(verified.answers)])


def _sections(answers: Iterable[Answer]) -> Iterator[str]:
    for answer in answers:
        odd = [row for row in answer.rows if row.verdict is not Verdict.PASS]
        if odd:
            yield f"### {answer.step.value}\n\n{rendered.markdown(odd)}"


def github(verified: Verified) -> str:
    """Return annotations, and write the step summary."""
    summarise(markdown(verified))
    return rendered.annotations([row for answer in verified.answers for row in answer.rows])
