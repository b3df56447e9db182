"""The answer of `dgpin explain`."""

from collections.abc import Sequence
from dataclasses import asdict

from dgpin.api.rules import Rule
from dgpin.render.document import document
from dgpin.render.terminal import Line, Renderers


def renderers(rules: Sequence[Rule]) -> Renderers:
    """Return every form of the answer."""
    return {
        "text": lambda: _list(rules) if len(rules) > 1 else _one(rules[0]),
        "json": lambda: document("explain", 1, {"rules": [_content(rule) for rule in rules]}),
    }


def _list(rules: Sequence[Rule]) -> tuple[Line, ...]:
    return tuple(
        ((f"{rule.id:28}", "bold"), (f"{rule.level.value:12}", ""), (rule.summary, ""))
        for rule in rules
    )


def _one(rule: Rule) -> tuple[Line, ...]:
    return (
        ((rule.id, "bold"), (f"  {rule.level.value}", "yellow")),
        ((rule.summary, ""),),
        (),
        (("Why   ", "bold"), (rule.why, "")),
        (("Cure  ", "bold"), (rule.cure, "")),
        (),
        (("Before", "bold"),),
        *(((f"    {line}", "red"),) for line in rule.before.splitlines()),
        (("After", "bold"),),
        *(((f"    {line}", "green"),) for line in rule.after.splitlines()),
    )


def _content(rule: Rule) -> dict[str, object]:
    return {**asdict(rule), "level": rule.level.value, "effect": rule.effect.value}
