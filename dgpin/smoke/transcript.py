"""One process's answers, turned into results. Pure: the runner's half that needs no process."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dgpin.smoke.case import Check
from dgpin.smoke.explain import explain
from dgpin.smoke.results import Loaded, Result, Trouble
from dgpin.verdict import Verdict

# The worker prints this before each check, on both streams.
MARK = "@@ dgpin check "
_WATCHDOG = "Timeout ("  # how faulthandler's message starts
_MOST_RAW = 12_000
# How compute-sanitizer's findings start; its other lines are headers and backtraces.
_FINDING = re.compile(
    r"^=+ (?:Error: )?"
    r"((?:Invalid|Misaligned|Race reported|Uninitialized|Barrier error|Program hit|Illegal).*)",
    re.MULTILINE,
)
# Hazards that its manual calls possibly intended, such as code that counts on warps in lockstep.
_WARNING = re.compile(r"^=+ Warning: (.*)", re.MULTILINE)
_TOOL_FAILED = "Internal Sanitizer Error"
Event = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """A process that ended: its events, its exit code (None: killed for time), its output."""

    events: tuple[Event, ...]
    returncode: int | None
    stdout: str
    stderr: str

    def said(self, check: str | None = None) -> str:
        """Return both streams, or what they hold of one check."""
        return "\n".join(_section(text, check) for text in (self.stdout, self.stderr)).strip()


def parse(text: str) -> tuple[Event, ...]:
    """Return the events of a file's text; a line that was cut short is left out."""
    events = []
    for line in text.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict) and "event" in event:
            events.append(event)
    return tuple(events)


def loaded(child: Child) -> Loaded | None:
    """Return what the process loaded, or None when it did not come so far."""
    for event in child.events:
        if event["event"] == "loaded":
            return Loaded(
                torch=event["torch"],
                cuda=event["cuda"],
                python=event["python"],
                version=event["version"],
                package=event["package"],
                extension=event["extension"],
                arch=event["arch"],
                gpu=event["gpu"],
                names=tuple(event["names"]),
                seconds=event["seconds"],
            )
    return None


def trouble(child: Child) -> Trouble | None:
    """Return why nothing could run, or None when the checks began."""
    if loaded(child) is not None:
        return None
    broken = next((event for event in child.events if event["event"] == "broken"), None)
    raised = str(broken["raised"]) if broken else ""
    text = f"{raised}\n{child.said()}".strip()
    timed_out = broken is None and (child.returncode is None or _WATCHDOG in child.stderr)
    return Trouble(
        where=str(broken["where"]) if broken else "start",
        explanation=explain(text, returncode=child.returncode, timed_out=timed_out),
        raw=text[-_MOST_RAW:],
    )


def results(
    child: Child, checks: Sequence[Check], *, expected: frozenset[str] = frozenset()
) -> tuple[Result, ...]:
    """Return the results of the checks that began in this process; the last may have ended it."""
    by_name = {check.id: check for check in checks}
    ends = {event["check"]: event for event in child.events if event["event"] == "end"}
    began = [event["check"] for event in child.events if event["event"] == "check"]
    return tuple(
        _wanted(
            _ended(by_name[name], ends[name], child)
            if name in ends
            else died(by_name[name], child),
            expected,
        )
        for name in began
    )


def sanitized(result: Result, *, child: Child) -> Result:
    """Return what a check's answer is once compute-sanitizer's lines are read too.

    A finding fails a pass, a warning is told, and a fault of the tool's own makes it unknown.
    """
    text = child.said(result.check.id)
    if _TOOL_FAILED in text:
        why = "compute-sanitizer itself failed here"
        return replace(result, verdict=Verdict.UNKNOWN, message=why, explanation=None)
    found = _FINDING.search(text)
    if found is not None and result.verdict is Verdict.PASS:
        raw = text[found.start() :][:_MOST_RAW]
        return replace(result, verdict=Verdict.FAIL, message=found[1].strip(), raw=raw)
    warned = _WARNING.search(text)
    if warned is not None and result.verdict is Verdict.PASS:
        return replace(result, message=f"warning: {warned[1].strip()[:120]}")
    return result


def _ended(check: Check, event: Event, child: Child) -> Result:
    result = Result(
        check=check,
        verdict=Verdict.PASS,
        number=event.get("number"),
        controls=event.get("controls", {}),
        differing=event.get("differing", 0),
        seconds=event["seconds"],
        cold_seconds=event["cold_seconds"],
        warm_ms=tuple(event["warm_ms"]),
        kernels=tuple(event["kernels"]),
        notes=event.get("notes", {}),
    )
    if "raised" in event:
        return _raised(result, str(event["raised"]), child)
    if "unsupported" in event:
        return replace(result, verdict=Verdict.UNSUPPORTED, message=str(event["unsupported"]))
    if event["why"]:
        return replace(result, verdict=Verdict.FAIL, message=event["why"])
    return result


def _raised(result: Result, raised: str, child: Child) -> Result:
    check = result.check
    refusal = _refusal(check, raised)
    if refusal:
        return replace(result, verdict=Verdict.UNSUPPORTED, message=refusal)
    text = f"{raised}\n{child.said(check.id)}"
    found = explain(text)
    message = found.what if found.cause != "unexplained" else raised.splitlines()[0]
    call = _last_call(child, check.id)
    message += f" (in {call})" if call else ""
    return replace(
        result,
        verdict=Verdict.FAIL,
        message=message,
        explanation=found,
        raw=text.strip()[:_MOST_RAW],
    )


def _refusal(check: Check, raised: str) -> str:
    """Return the assertion by which the build declines, or ""."""
    for pattern in check.refusals:
        if re.search(pattern, raised):
            return raised.splitlines()[0]
    if check.capabilities and re.match(r"AttributeError: module \S+ has no attribute", raised):
        return raised.splitlines()[0]
    return ""


def died(check: Check, child: Child) -> Result:
    """Return the answer of a check whose process ended before it did, or before it began."""
    timed_out = child.returncode is None or _WATCHDOG in child.stderr
    text = child.said(check.id)
    call = _last_call(child, check.id)
    where = f" in {call}" if call else ""
    found = explain(text, returncode=child.returncode, timed_out=timed_out)
    began = any(e["event"] == "check" and e["check"] == check.id for e in child.events)
    how = "no answer" if timed_out else f"the process ended with {child.returncode}"
    return Result(
        check=check,
        verdict=Verdict.TIMEOUT if timed_out else Verdict.CRASH,
        message=f"{how}{where}: {found.what}",
        explanation=found,
        raw=(text if began else child.said())[-_MOST_RAW:],
    )


def _last_call(child: Child, check: str) -> str:
    """Return the function that the check had called last, "" for none."""
    calls = (e["call"] for e in child.events if e["event"] == "call" and e["check"] == check)
    return next(reversed(list(calls)), "")


def _wanted(result: Result, expected: frozenset[str]) -> Result:
    """Turn an unsupported check that the host needs into a failure."""
    needed = sorted(expected & {*result.check.capabilities, result.check.id})
    if result.verdict is not Verdict.UNSUPPORTED or not needed:
        return result
    return replace(
        result,
        verdict=Verdict.FAIL,
        message=f"the host needs {' and '.join(needed)}: {result.message}",
    )


def _section(text: str, check: str | None) -> str:
    if check is None:
        return "\n".join(line for line in text.splitlines() if not line.startswith(MARK))
    _, found, after = text.partition(f"{MARK}{check}\n")
    return after.partition(MARK)[0].strip() if found else ""
