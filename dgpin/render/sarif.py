"""SARIF 2.1.0, as GitHub code scanning takes it."""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from dgpin import __version__
from dgpin.api.change import Change, Level
from dgpin.api.report import Report
from dgpin.api.rules import BY_ID, Rule
from dgpin.verdict import Place

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {
    Level.BREAKING: "error",
    Level.RISKY: "warning",
    Level.COMPATIBLE: "note",
    Level.ADDED: "none",
}
# GitHub shows this many results of a run and drops the rest.
_MOST = 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One finding: `fingerprint` is the same for the same finding in every run."""

    rule: str
    level: str
    message: str
    fingerprint: str
    place: Place


def document(results: Iterable[Result], rules: Mapping[str, Mapping[str, object]]) -> str:
    """Return the log of one run. `rules` are SARIF's reporting descriptors by id."""
    found = list(results)[:_MOST]
    used = sorted({result.rule for result in found})
    run = {
        "tool": {
            "driver": {
                "name": "dgpin",
                "version": __version__,
                "rules": [{"id": name, **rules[name]} for name in used],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(result, used) for result in found],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _result(result: Result, rules: list[str]) -> dict[str, object]:
    where: dict[str, object] = {"artifactLocation": {"uri": quote(os.fsencode(result.place.path))}}
    if result.place.line:
        where["region"] = {"startLine": result.place.line}
    return {
        "ruleId": result.rule,
        "ruleIndex": rules.index(result.rule),
        "level": result.level,
        "message": {"text": result.message},
        "locations": [{"physicalLocation": where}],
        "partialFingerprints": {"dgpin/v1": result.fingerprint},
    }


def descriptor(rule: Rule) -> dict[str, object]:
    """Return what SARIF says of a rule."""
    return {
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.why},
        "help": {"text": f"{rule.why} {rule.cure}"},
        "defaultConfiguration": {"level": _LEVELS[rule.level]},
    }


def diff_api(report: Report) -> str:
    """Return the breaking and risky changes of the public surface as results.

    A change of the API has no line in the host; its place is the file of the symbol's module, so
    that the alert stays where it is from run to run.
    """
    shown = [
        change
        for level in (Level.BREAKING, Level.RISKY)
        for change in report.comparison.at(level, private=False)
        if change.fingerprint not in report.allowed.reasons
    ]
    rules = {name: descriptor(rule) for name, rule in BY_ID.items()}
    return document(map(_of, shown), rules)


def _of(change: Change) -> Result:
    names = f" (also {', '.join(change.names[1:])})" if len(change.names) > 1 else ""
    return Result(
        rule=change.rule,
        level=_LEVELS[change.level],
        message=f"{change.path}: {change.detail}{names}",
        fingerprint=change.fingerprint,
        place=Place("deep_gemm/__init__.py"),
    )
