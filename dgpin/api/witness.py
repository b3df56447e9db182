"""Witnesses: the smallest host code that binds in A and does not in B."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from dgpin.api import trials
from dgpin.api.change import Change, Comparison, Level, Witness
from dgpin.api.surface import Surface, Unreadable
from dgpin.api.trials import Trial

# A module may make a name when it is asked for: then it is not gone.
_HIDDEN = "it is there when it is asked for, and no list of names has it"

Outcome = Mapping[str, str]  # {"ok": what was seen} or {"raises": the error}
Attempt = Callable[[Surface, Sequence[dict[str, Any]]], Sequence[Outcome]]


def attach(comparison: Comparison, attempts: tuple[Attempt, Attempt]) -> Comparison:
    """Return the comparison with a witness, or the reason for none, on every breaking change.

    `attempts` try pieces of code against A and against B, and return an outcome for each.
    """
    changes = list(comparison.changes)
    planned: list[tuple[int, Trial]] = []
    for index, change in enumerate(changes):
        if change.level is Level.BREAKING:
            plan = trials.plan(change, comparison.a, comparison.b)
            if isinstance(plan, str):
                changes[index] = replace(change, unwitnessed=plan)
            else:
                planned.append((index, plan))
    if not planned:
        return replace(comparison, changes=tuple(changes))
    with ThreadPoolExecutor(2) as pool:
        runs = [
            pool.submit(attempt, surface, [trial.to_json(surface) for _, trial in planned])
            for attempt, surface in zip(attempts, (comparison.a, comparison.b), strict=True)
        ]
        outcomes = [run.result() for run in runs]
    hidden: dict[int, Unreadable] = {}
    for (index, trial), in_a, in_b in zip(planned, *outcomes, strict=True):
        if trial.is_lookup and "ok" in in_b and in_a == in_b:
            hidden[index] = Unreadable(path=trial.path, reason=_HIDDEN)
        changes[index] = _judge(changes[index], trial, in_a, in_b)
    if not hidden:
        return replace(comparison, changes=tuple(changes))
    kept = tuple(change for index, change in enumerate(changes) if index not in hidden)
    found = tuple(hidden.values())
    return replace(
        comparison,
        b=replace(comparison.b, unreadable=(*comparison.b.unreadable, *found)),
        changes=kept,
        unreadable=(*comparison.unreadable, *(("B", each) for each in found)),
    )


def _judge(change: Change, trial: Trial, in_a: Outcome, in_b: Outcome) -> Change:
    for side, outcome in (("A", in_a), ("B", in_b)):
        untried = outcome.get("raises", "").startswith("LookupError: ")
        if untried or (side == "A" and "ok" not in outcome):
            why = outcome["raises"].removeprefix("LookupError: ")
            return replace(
                change, unwitnessed=f"`{trial.code}` could not be tried in {side}: {why}"
            )
    a, b = in_a["ok"], in_b.get("ok", "") or in_b.get("raises", "")
    if "ok" in in_b and a == b:
        before, after = trial.landings
        if before == after:
            why = f"`{trial.code}` is taken by both; only a run would tell"
            return replace(change, unwitnessed=why)
        a, b = (f"binds, {text}" if text else "binds as named" for text in (before, after))
    return replace(change, witness=Witness(code=trial.code, in_a=a, in_b=b))
