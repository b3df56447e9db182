"""What `diff-api --host` finds, one row a consequence, for `dgpin explain` and SARIF."""

from dgpin.api.bind_findings import Consequence
from dgpin.api.change import Effect, Level
from dgpin.api.rules import Rule


def _rule(name: str, effect: Effect, summary: str, *, why: str, cure: str, pair: str) -> Rule:
    before, _, after = pair.partition("\n=>\n")
    level = Level.RISKY if name in {"use-caught", "use-broken-already"} else Level.BREAKING
    return Rule(
        id=name,
        level=level,
        effect=effect,
        summary=summary,
        why=why,
        cure=cure,
        before=before,
        after=after,
    )


_BY_CONSEQUENCE = {
    Consequence.IMPORT_RAISES: _rule(
        "use-import-raises",
        Effect.GONE,
        "A file of the host fails when it is imported.",
        why="A name that B does not have is imported, or reached, outside any function.",
        cure="Use what the name became; try the new one first to fit both builds.",
        pair="from deep_gemm import old_name\n=>\ntry:\n    from deep_gemm import new_name\n"
        "except ImportError:\n    from deep_gemm import old_name as new_name",
    ),
    Consequence.CALL_RAISES: _rule(
        "use-call-raises",
        Effect.REFUSED,
        "A call that A takes raises with B.",
        why="The arguments do not fit B's signature, or what is called is gone.",
        cure="Pass what B takes; the row names the arguments.",
        pair="deep_gemm.f(a, fast=True)\n=>\ndeep_gemm.f(a)",
    ),
    Consequence.SILENT_NONE: _rule(
        "use-silently-off",
        Effect.SILENT,
        "A feature of the host goes off without a word.",
        why="getattr with a default, hasattr, find_spec or a guarded import answers no with B.",
        cure="Ask for the new name first, and for the old one after it.",
        pair='f = getattr(dg, "old", None)\n=>\nf = getattr(dg, "new", None) or '
        'getattr(dg, "old", None)',
    ),
    Consequence.SILENT_OLDER: _rule(
        "use-older-name",
        Effect.SILENT,
        "A chain of names falls back to an older one without a word.",
        why="The name that is tried first is gone, and a later one is still there.",
        cure="Put what the first name became at the head of the chain.",
        pair='f = getattr(dg, "gone", None) or getattr(dg, "old", None)\n=>\n'
        'f = getattr(dg, "new", None) or getattr(dg, "old", None)',
    ),
    Consequence.SILENT_VALUE: _rule(
        "use-another-value",
        Effect.SILENT,
        "A call goes through and means something else.",
        why="An argument by place lands on another parameter, or a default that is left out has "
        "another value.",
        cure="Pass the argument by name, and the old value where it matters.",
        pair="deep_gemm.f(a, False)\n=>\ndeep_gemm.f(a, fast=False)",
    ),
    Consequence.CAUGHT: _rule(
        "use-caught",
        Effect.REFUSED,
        "A call raises with B, and a handler around it takes that.",
        why="No break: the host runs its fallback, every time.",
        cure="Pass what B takes, so that the first choice runs again.",
        pair="try:\n    f(a, b)\nexcept TypeError:\n    f(a)\n=>\nf(a)",
    ),
    Consequence.LATENT: _rule(
        "use-broken-already",
        Effect.REFUSED,
        "A use that neither A nor B takes.",
        why="Not held against the move: it fails today as well, whenever it is reached.",
        cure="Cure it on its own; `dgpin lint` shows it too.",
        pair="deep_gemm.f()\n=>\ndeep_gemm.f(a)",
    ),
}
RULES: tuple[Rule, ...] = tuple(_BY_CONSEQUENCE.values())
BY_ID = {rule.id: rule for rule in RULES}


def rule_of(consequence: Consequence) -> Rule:
    """Return the row of a consequence."""
    return _BY_CONSEQUENCE[consequence]
