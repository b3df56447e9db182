"""The answer of `dgpin smoke --bisect`."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from dgpin.render.document import document
from dgpin.render.smoke import finite
from dgpin.render.terminal import Line, Renderers

if TYPE_CHECKING:  # a plain run does without
    from dgpin.smoke.bisect import Found, Step
    from dgpin.source.commits import Commit

FORMS = ("text", "json")
_STYLES = {"good": "green", "bad": "bold red", "skipped": "yellow"}
_SHORT = 12


def renderers(found: "Found") -> Renderers:
    """Return every form of the answer."""
    return {
        "text": lambda: tuple(text(found)),
        "json": lambda: document("smoke-bisect", 1, content(found)),
    }


def step(tried: "Step") -> Line:
    """Return the line of a commit that was tried."""
    answer = tried.trial.answer.value
    left = f"{tried.left} left" if tried.left else ""
    built = "cached" if tried.trial.cached else "built"
    how = "" if answer == "skipped" else built
    return (
        (f"{answer:8} ", _STYLES[answer]),
        (f"{tried.commit.sha[:_SHORT]}  ", "bold"),
        (f"{left:10}{tried.seconds:6.1f} s  {how:7}", "dim"),
        (f"{tried.trial.message}  " if answer != "good" else "", ""),
        (tried.commit.subject, "dim"),
    )


def so_far(found: "Found | None", between: str, check: str) -> tuple[Line, ...]:
    """Return what an interrupted search has found, and how to go on."""
    again = f"the builds are kept: `dgpin smoke --bisect {between} {check}` goes on from them"
    steps = found.steps if found is not None else ()
    known = {answer: _last(steps, answer) for answer in _STYLES}
    told = [f"{answer} {sha[:_SHORT]}" for answer, sha in known.items() if sha]
    if known["good"] and known["bad"]:
        # Right whatever the graph: the last good one is not behind the last bad one's fault.
        narrower = f"{known['good'][:_SHORT]}..{known['bad'][:_SHORT]}"
        again = f"the builds are kept: `dgpin smoke --bisect {narrower} {check}` goes on"
    left = f", {steps[-1].left} commits suspected" if steps and steps[-1].left else ""
    return (
        (("so far   ", "bold"), (f"{'; '.join(told) or 'nothing was tried'}{left}", "")),
        (("         ", ""), (again, "italic")),
    )


def _last(steps: "Iterable[Step]", answer: str) -> str:
    found = [each.commit.sha for each in steps if each.trial.answer.value == answer]
    return found[-1] if found else ""


def text(found: "Found") -> Iterable[Line]:
    """Yield the answer as lines of text; the commits that were tried have been shown already."""
    yield ((headline(found), "bold"),)
    for commit in found.suspects:
        yield (
            (f"  {commit.sha}  ", "bold"),
            (f"{commit.date[:10]}  {commit.author}: {commit.subject}", ""),
        )
    if found.outcome is not None and found.outcome.value == "untried":
        yield ("  ", ""), (found.steps[-1].trial.message, "")
    if found.doubt:
        yield ("  ", ""), (found.doubt, "yellow")
    count = len(found.steps)
    seconds = sum(each.seconds for each in found.steps)
    skipped = sum(each.trial.answer.value == "skipped" for each in found.steps)
    yield ((f"{count} commits tried, {skipped} of them skipped, in {seconds:.0f} s", "dim"),)


def headline(found: "Found") -> str:
    """Return the answer in one sentence."""
    good, bad, check = found.good[:_SHORT], found.bad[:_SHORT], found.check
    last = found.steps[-1].commit.sha[:_SHORT]
    return {
        "found": f"{check} fails first at",
        "several": f"{check} fails first at one of these; the others could not be tried",
        "bad before": f"{check} fails at {good} already: the fault is older, name an older A",
        "good after": f"{check} passes at {bad}: there is no fault to find",
        "fixed aside": f"{check} fails at {last} already, from which {good} and {bad} part:"
        f" the way to {good} has a fix that {bad} lacks",
        "untried": f"{check} could not be tried at {last}, an end of the search",
    }[found.outcome.value if found.outcome is not None else "untried"]


def content(found: "Found") -> Mapping[str, object]:
    """Return the answer as JSON has it."""
    outcome = found.outcome
    return {
        "check": found.check,
        "repository": found.repository,
        "good": found.good,
        "bad": found.bad,
        "outcome": outcome.value if outcome is not None else "",
        "exit_code": outcome.exit_code if outcome is not None else 3,
        "doubt": found.doubt,
        "suspects": [_commit(each) for each in found.suspects],
        "steps": [
            {
                "commit": _commit(each.commit),
                "answer": each.trial.answer.value,
                "message": each.trial.message,
                "number": finite(each.trial.number),
                "cached": each.trial.cached,
                "left": each.left,
                "seconds": round(each.seconds, 2),
            }
            for each in found.steps
        ],
    }


def _commit(commit: "Commit") -> Mapping[str, str]:
    return {
        "sha": commit.sha,
        "subject": commit.subject,
        "author": commit.author,
        "date": commit.date,
    }
