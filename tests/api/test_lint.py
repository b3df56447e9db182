"""The rules of lint: each trips on what it is for, and not on what looks alike."""

from dataclasses import replace
from pathlib import Path

import pytest

from dgpin.api.host.scan import scan
from dgpin.api.lint import Lint, lint
from dgpin.api.lint_rules import RULES
from dgpin.api.rules import Rule
from dgpin.api.surface import Binding, Kind, Surface, Symbol, Unreadable
from tests.api import surfaces

DOCS = Path(__file__).parents[2] / "docs" / "reference" / "lint-rules.md"
# Both are about comments on a finding of another rule.
ABOUT_COMMENTS = {"ignore-without-reason", "unused-ignore"}


def pin() -> Surface:
    """Return the pinned API of the examples."""
    return surfaces.surface(
        surfaces.function("get_num_sms"),
        surfaces.function("fp8_gemm_nt", "a", "b", "d", "c: Tensor|None=None"),
        surfaces.function("mega", "y", "activation_alpha: float=1.0", "tokens: int=4"),
        surfaces.function("by_python", "a", "fast=False", binding=Binding.PYTHON),
        surfaces.function("op", "x", binding=Binding.TORCH),
    )


def linted(folder: Path, text: str) -> Lint:
    """Return what lint says of a host of one file."""
    (folder / "main.py").write_text(text)
    return lint(scan(folder), pin())


def rules(answer: Lint) -> set[str]:
    """Return the rules that found something."""
    return {finding.rule for finding in answer.findings}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_example_trips(tmp_path: Path, rule: Rule) -> None:
    """A rule's example trips that rule and no other."""
    found = rules(linted(tmp_path, rule.before))

    if rule.id in ABOUT_COMMENTS:
        found -= {"silent-none"}
    assert {rule.id} == found


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_look_alike_does_not(tmp_path: Path, rule: Rule) -> None:
    """What looks like a rule's example does not trip it."""
    assert rule.id not in rules(linted(tmp_path, rule.after))


def test_every_rule_is_documented() -> None:
    """Each rule has its heading in the reference, and there is no other."""
    headings = [line[3:] for line in DOCS.read_text().splitlines() if line.startswith("## ")]

    assert [rule.id for rule in RULES] == headings


HEAD = "import deep_gemm\n\n\n"
FALSY = {
    "or a number": ("deep_gemm.mega(y, activation_alpha=x or 1.0)", True),
    "if it is true": ("deep_gemm.mega(y, activation_alpha=x if x else 2.0)", True),
    "by place": ("deep_gemm.mega(y, x or 1.0)", True),
    "through a name": ("v = x or 1.0\n    deep_gemm.mega(y, activation_alpha=v)", True),
    "through float()": ("deep_gemm.mega(y, activation_alpha=float(x or 1.0))", True),
    "through a dict": ("kw = {'activation_alpha': x or 1.0}\n    deep_gemm.mega(y, **kw)", True),
    "to a host object": ("y.run(activation_alpha=x or 1.0)", True),
    "or one of two": ("deep_gemm.mega(y, activation_alpha=x or z or 1.0)", True),
    "or a number for a length": ("deep_gemm.mega(y, activation_alpha=len(x) or 1.0)", False),
    "or a number for a text": (
        "deep_gemm.mega(y, activation_alpha=float(os.environ.get('A') or 1.0))",
        False,
    ),
    "or a number for a comparison": ("deep_gemm.mega(y, activation_alpha=(x > y) or 1.0)", False),
    "or a number for a number": ("deep_gemm.mega(y, activation_alpha=0 or 1.0)", False),
    "or zero": ("deep_gemm.mega(y, activation_alpha=x or 0.0)", False),
    "or False": ("deep_gemm.mega(y, activation_alpha=x or False)", False),
    "asked for None": ("deep_gemm.mega(y, activation_alpha=1.0 if x is None else x)", False),
    "an int that is never 0": ("deep_gemm.mega(y, tokens=x or 8)", False),
    "or another name": ("deep_gemm.mega(y, activation_alpha=x or y)", False),
    "of another library": ("y.run(beta=x or 1.0)", False),
}


@pytest.mark.parametrize(("body", "expected"), FALSY.values(), ids=FALSY)
def test_falsy_default(tmp_path: Path, body: str, *, expected: bool) -> None:
    """`x or C` counts where zero is a value and C is not, however it gets there."""
    answer = linted(tmp_path, f"{HEAD}def run(x, y):\n    {body}\n")

    assert expected == ("falsy-default" in rules(answer))


CURES = {
    "x or 1.0": "Write `1.0 if x is None else x`.",
    "self.x if self.x else 1.0": "Write `1.0 if self.x is None else self.x`.",
    "float(x or 1.0)": "Write `1.0 if x is None else x`.",
    "v": "Write `1.0 if x is None else x`.",
    "x or y or 1.0": "Ask for None, not for what is true.",
    "find(x) or 1.0": "Ask for None, not for what is true.",
}


@pytest.mark.parametrize(("value", "cure"), CURES.items(), ids=CURES)
def test_falsy_default_is_cured(tmp_path: Path, value: str, cure: str) -> None:
    """The edit names what is asked, however it gets there; two of it would be no edit."""
    text = f"{HEAD}def run(self, x, y):\n    v = x or 1.0\n    deep_gemm.mega(y, {value})\n"

    found = [f.cure for f in linted(tmp_path, text).findings if f.rule == "falsy-default"]

    assert [cure] == found


def test_falsy_default_through_a_wrapper(tmp_path: Path) -> None:
    """The line that is shown is that of the caller who writes `or`."""
    text = HEAD + (
        "def wrapper(y, **kwargs):\n    return deep_gemm.mega(y, **kwargs)\n\n\n"
        "def caller(y, x):\n    return wrapper(y, activation_alpha=x or 1.0)\n"
    )

    found = [f.place.line for f in linted(tmp_path, text).findings if f.rule == "falsy-default"]

    assert [9] == found


def test_loud_and_silent_are_told_apart(tmp_path: Path) -> None:
    """The note on an optional name says who raises without it, and who goes on."""
    text = (
        'import deep_gemm\n\nf = getattr(deep_gemm, "fp8_gemm_nt", None)\n\n\n'
        "def quiet():\n    if f is None:\n        return False\n    return True\n\n\n"
        'def loud():\n    if f is None:\n        raise RuntimeError("no")\n'
    )

    (note,) = linted(tmp_path, text).notes

    assert "quiet (main.py:7) goes on without it" in note.message
    assert "loud (main.py:13) raises RuntimeError" in note.message


def test_ignored(tmp_path: Path) -> None:
    """A comment with a reason takes its finding out, on any line of the call."""
    text = (
        HEAD + "def run():\n    deep_gemm.get_num_sms(\n        1,\n"
        "    )  # dgpin: ignore[broken-call] until the pin moves\n"
    )

    answer = linted(tmp_path, text)

    assert ((), 1) == (answer.findings, answer.ignored)


@pytest.mark.parametrize("reason", ["", " -", " # noqa: B009", " ..."])
def test_ignore_without_words(tmp_path: Path, reason: str) -> None:
    """A dash, dots or another comment is no reason."""
    text = f'{HEAD}f = getattr(deep_gemm, "gone", None)  # dgpin: ignore[silent-none]{reason}\n'

    assert {"ignore-without-reason", "silent-none"} == rules(linted(tmp_path, text))


def test_ignore_is_for_its_own_lines(tmp_path: Path) -> None:
    """A comment between the line that is meant and the call is not on that line."""
    text = (
        f"{HEAD}def run(x, y):\n    v = x or 1.0\n"
        "    y += 1  # dgpin: ignore[falsy-default] zero is never passed\n"
        "    deep_gemm.mega(y, v)\n"
    )

    assert {"falsy-default", "unused-ignore"} <= rules(linted(tmp_path, text))


def test_ignore_names_an_unknown_rule(tmp_path: Path) -> None:
    """A comment that names no rule of dgpin's is a finding."""
    answer = linted(tmp_path, "x = 1  # deep_gemm  # dgpin: ignore[nonsense] because\n")

    assert ["ignore-without-reason"] == [f.rule for f in answer.findings]


@pytest.mark.parametrize(
    ("call", "cure"),
    [
        ("fp8_gemm_nt(x)", "It takes (a, b, d, c=None)."),
        ("gemm_fp8_nt(x)", "Is fp8_gemm_nt meant?"),
        ("gone(x)", "Drop the use, or pin a source that has it."),
    ],
)
def test_a_broken_call_says_what_the_pin_has(tmp_path: Path, call: str, cure: str) -> None:
    """How a function is called, the same words in another order, or that there is nothing."""
    (finding,) = linted(tmp_path, f"{HEAD}def run(x):\n    deep_gemm.{call}\n").findings

    assert ("broken-call", cure) == (finding.rule, finding.cure)


GUARDED = {
    "asked": 'if hasattr(deep_gemm, "gone"):\n        deep_gemm.gone()',
    "caught": "try:\n        deep_gemm.gone()\n    except AttributeError:\n        pass",
    "tried before": "try:\n        deep_gemm.get_num_sms()\n"
    "    except TypeError:\n        deep_gemm.get_num_sms(1)",
    "caught by all": "try:\n        deep_gemm.get_num_sms(1)\n    except Exception:\n        pass",
}


@pytest.mark.parametrize("body", GUARDED.values(), ids=GUARDED)
def test_guarded_is_not_broken(tmp_path: Path, body: str) -> None:
    """A use that the host guards is not a broken call."""
    assert "broken-call" not in rules(linted(tmp_path, f"{HEAD}def run():\n    {body}\n"))


def test_what_is_done_when_a_kernel_fails_may_be_broken(tmp_path: Path) -> None:
    """A handler of every exception may run although the call above it fits."""
    body = "try:\n        deep_gemm.get_num_sms()\n    except Exception:\n"
    text = f"{HEAD}def run():\n    {body}        deep_gemm.get_num_sms(1)\n"

    assert "broken-call" in rules(linted(tmp_path, text))


def test_unread_signature_is_a_doubt(tmp_path: Path) -> None:
    """A call of what has no readable signature is neither fine nor a finding."""
    (tmp_path / "main.py").write_text(HEAD + "deep_gemm.f(1)\n")
    unread = surfaces.surface(
        Symbol(
            path="deep_gemm.f",
            kind=Kind.FUNCTION,
            binding=Binding.PYBIND11,
            identity="f",
        )
    )

    answer = lint(scan(tmp_path), unread)

    assert ((), True) == (answer.findings, answer.is_incomplete)


def test_without_the_compiled_half_nothing_is_missing(tmp_path: Path) -> None:
    """A name that is not seen may come from an extension that could not be read."""
    (tmp_path / "main.py").write_text(HEAD + 'deep_gemm.f(1)\nf = getattr(deep_gemm, "g", None)\n')
    unread = replace(
        surfaces.surface(), unreadable=(Unreadable(path="deep_gemm._C", reason="not loaded"),)
    )

    answer = lint(scan(tmp_path), unread)

    assert ((), True) == (answer.findings, answer.is_incomplete)
