"""The rules of `dgpin lint`, one a row; `before` trips its rule, `after` is a look-alike."""

from dgpin.api.change import Effect, Level
from dgpin.api.rules import Rule

_ERROR, _NOTE = Level.BREAKING, Level.RISKY


def _rule(
    name: str, level: Level, effect: Effect, summary: str, *, why: str, cure: str, pair: str
) -> Rule:
    before, _, after = pair.partition("\n=>\n")
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


RULES: tuple[Rule, ...] = (
    _rule(
        "broken-call",
        _ERROR,
        Effect.REFUSED,
        "A use that the pinned API does not take.",
        why="It raises whenever it is reached: a call that does not bind, or a name that is not "
        "there.",
        cure="Call it the way the pinned API wants.",
        pair="import deep_gemm\n\n\ndef run(x):\n    return deep_gemm.get_num_sms(x)\n=>\n"
        "import deep_gemm\n\n\ndef run():\n    return deep_gemm.get_num_sms()",
    ),
    _rule(
        "silent-none",
        _ERROR,
        Effect.SILENT,
        "getattr with a default, for a name that the pinned API does not have.",
        why="The default takes its place without a word; the feature goes off, or raises where "
        "nobody looks for the cause.",
        cure="Ask for the name that the API has; keep the old one behind it for older builds.",
        pair='import deep_gemm\n\ngemm = getattr(deep_gemm, "gone", None)\n=>\nimport deep_gemm\n\n'
        'gemm = getattr(deep_gemm, "fp8_gemm_nt", None) or getattr(deep_gemm, "gone", None)',
    ),
    _rule(
        "optional-name",
        _NOTE,
        Effect.OTHERWISE,
        "getattr with a default, for a name that the pinned API has.",
        why="Nothing is wrong today; when the name goes, the default takes its place. The note "
        "says what the host does then: raise, or go on without the feature.",
        cure="Nothing to do; `dgpin diff-api --host` watches it when the pin moves.",
        pair='import deep_gemm\n\ngemm = getattr(deep_gemm, "fp8_gemm_nt", None)\n=>\n'
        "import deep_gemm\n\ngemm = deep_gemm.fp8_gemm_nt",
    ),
    _rule(
        "falsy-default",
        _ERROR,
        Effect.SILENT,
        "`x or C` is passed where 0, 0.0 or False is a value.",
        why="An explicit zero is falsy, so C overwrites it, without an error and with other "
        "numbers.",
        cure="Write `C if x is None else x`.",
        pair="import deep_gemm\n\n\ndef run(y, beta=None):\n"
        "    deep_gemm.mega(y, activation_alpha=beta or 1.0)\n=>\n"
        "import deep_gemm\n\n\ndef run(y, beta=None):\n"
        "    deep_gemm.mega(y, activation_alpha=beta or 0.0)",
    ),
    _rule(
        "dead-probe",
        _ERROR,
        Effect.GONE,
        "A question whose answer is always no: the pinned API does not have what is asked for.",
        why="What the question guards never runs with the pin.",
        cure="Ask for what the API has, or take the branch out.",
        pair='import deep_gemm\n\nfast = hasattr(deep_gemm, "gone")\n=>\nimport deep_gemm\n\n'
        'fast = hasattr(deep_gemm, "fp8_gemm_nt")',
    ),
    _rule(
        "dead-fallback",
        _NOTE,
        Effect.NONE,
        "One of two choices never runs with the pin.",
        why="Either the first choice is always there, so the fallback is for other builds only; "
        "or it never works, so the fallback is what runs.",
        cure="Keep it for hosts that bring another build; else take the dead choice out.",
        pair='import deep_gemm\n\ngemm = getattr(deep_gemm, "fp8_gemm_nt", None) or getattr(\n'
        '    deep_gemm, "gone", None\n)\n=>\nimport deep_gemm\n\n'
        "gemm = deep_gemm.fp8_gemm_nt",
    ),
    _rule(
        "wrong-except",
        _ERROR,
        Effect.REFUSED,
        "A handler that cannot catch what this binding raises for a bad call.",
        why="A torch op raises RuntimeError where Python and pybind11 raise TypeError, so "
        "`except TypeError` lets it through.",
        cure="Catch both: `except (TypeError, RuntimeError)`.",
        pair="import deep_gemm\n\n\ndef run(x):\n    try:\n        return deep_gemm.op(x)\n"
        "    except TypeError:\n        return None\n=>\n"
        "import deep_gemm\n\n\ndef run(x):\n    try:\n        return deep_gemm.op(x)\n"
        "    except (TypeError, RuntimeError):\n        return None",
    ),
    _rule(
        "positional-risk",
        _NOTE,
        Effect.SILENT,
        "An optional parameter is passed by its place.",
        why="A parameter that is inserted before it takes its argument, without an error where "
        "the types allow it.",
        cure="Pass it by name.",
        pair="import deep_gemm\n\n\ndef run(a, b, d):\n"
        "    deep_gemm.fp8_gemm_nt(a, b, d, None)\n=>\n"
        "import deep_gemm\n\n\ndef run(a, b, d):\n    deep_gemm.fp8_gemm_nt(a, b, d, c=None)",
    ),
    _rule(
        "fake-drift",
        _ERROR,
        Effect.SILENT,
        "A test double keeps a name alive that the pinned API no longer has.",
        why="The test passes; the code that it stands for fails.",
        cure="Give the double the names that the API has.",
        pair="import sys\nfrom types import SimpleNamespace\n\n\n"
        "def test_it(monkeypatch):\n    fake = SimpleNamespace(gone=lambda x: x)\n"
        '    monkeypatch.setitem(sys.modules, "deep_gemm", fake)\n=>\n'
        "import sys\nfrom types import SimpleNamespace\n\n\n"
        "def test_it(monkeypatch):\n    fake = SimpleNamespace(fp8_gemm_nt=lambda x: x)\n"
        '    monkeypatch.setitem(sys.modules, "deep_gemm", fake)',
    ),
    _rule(
        "ignore-without-reason",
        _ERROR,
        Effect.NONE,
        "`# dgpin: ignore[rule]` without a reason, without a rule, or with one that is none.",
        why="Whoever reads it later cannot tell whether it still holds.",
        cure="Write `# dgpin: ignore[rule] why`.",
        pair="import deep_gemm\n\n"
        'gemm = getattr(deep_gemm, "gone", None)  # dgpin: ignore[silent-none]\n=>\n'
        "import deep_gemm\n\n"
        'gemm = getattr(deep_gemm, "gone", None)  # dgpin: ignore[silent-none] for 2.4 only',
    ),
    _rule(
        "unused-ignore",
        _ERROR,
        Effect.NONE,
        "`# dgpin: ignore[rule]` on a line where that rule finds nothing.",
        why="It would hide the next finding there.",
        cure="Take the comment out.",
        pair="import deep_gemm\n\n"
        "gemm = deep_gemm.fp8_gemm_nt  # dgpin: ignore[silent-none] for 2.4 only\n=>\n"
        "import deep_gemm\n\n"
        'gemm = getattr(deep_gemm, "gone", None)  # dgpin: ignore[silent-none] for 2.4 only',
    ),
)
BY_ID = {rule.id: rule for rule in RULES}
