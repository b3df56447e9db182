"""What breaks in real vLLM trees when their pin moves, and what lint says of them.

The truth was written by hand: from the tree's own next release, which changes exactly these
lines, and from running the host's wrapper module against the real builds.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from dgpin.api import builds, compare, load
from dgpin.api.bind_findings import Consequence, Impact, impact
from dgpin.api.host.scan import scan
from dgpin.api.lint import lint
from dgpin.api.load import Side
from dgpin.api.signature import Parameter, Signature
from dgpin.api.surface import Kind, Surface, Symbol
from dgpin.api.uses import Scan
from dgpin.build import interpreter
from tests.real import inputs

WRAPPER = "vllm/utils/deep_gemm.py"
KIMI = "vllm/models/kimi_k3/nvidia/model.py"
MASKED = "vllm/model_executor/layers/fused_moe/experts/batched_deep_gemm_moe.py"

# Where, what happens, the exception, and the parameters that it is about.
Row = tuple[str, Consequence, str, str]
KIMI_CALL: Row = (
    f"{KIMI}:509",
    Consequence.CALL_RAISES,
    "TypeError",
    "situ_beta, situ_linear_beta",
)
ORACLE: frozenset[Row] = frozenset(
    {
        KIMI_CALL,
        (f"{WRAPPER}:278", Consequence.SILENT_NONE, "", ""),
        (f"{WRAPPER}:496", Consequence.CALL_RAISES, "RuntimeError", ""),
        (f"{WRAPPER}:356", Consequence.CAUGHT, "TypeError", "num_groups"),
        (f"{WRAPPER}:443", Consequence.LATENT, "TypeError", "k_alignment"),
    }
)
WITH_2_8_2 = ORACLE | {
    (f"{WRAPPER}:545", Consequence.CALL_RAISES, "TypeError", "clean_logits, max_seqlen_k"),
    (f"{WRAPPER}:652", Consequence.CALL_RAISES, "TypeError", "clean_logits"),
}
OWN_PIN: frozenset[Row] = frozenset(
    {(f"{WRAPPER}:455", Consequence.LATENT, "TypeError", "k_alignment")}
)
MOVES: dict[str, tuple[str, Callable[[], Path], Callable[[], Path], frozenset[Row]]] = {
    "0.29.0, its pin to that of 0.30.0": (
        "0.29.0",
        lambda: inputs.vendored("0.29.0"),
        lambda: inputs.vendored("0.30.0"),
        ORACLE,
    ),
    "0.29.0, 2.6.1 to 2.8.0": (
        "0.29.0",
        lambda: inputs.build("2.6.1"),
        lambda: inputs.build("2.8.0"),
        ORACLE,
    ),
    "0.29.0, 2.6.1 to 2.8.2": (
        "0.29.0",
        lambda: inputs.build("2.6.1"),
        lambda: inputs.build("2.8.2"),
        WITH_2_8_2,
    ),
    "0.30.0, its own pin": (
        "0.30.0",
        lambda: inputs.vendored("0.30.0"),
        lambda: inputs.vendored("0.30.0"),
        OWN_PIN,
    ),
}


@cache
def python() -> interpreter.Interpreter:
    """Return the interpreter that loads the builds."""
    return interpreter.read(str(inputs.torch_python()), modules=("torch", "deep_gemm"))


@pytest.fixture(scope="module", name="surface")
def _surface(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Surface]:
    """Return a reader of builds that keeps what it has read."""
    kept = tmp_path_factory.mktemp("cache")

    @cache
    def read(root: Path) -> Surface:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("DGPIN_CACHE_DIR", str(kept))
            build = builds.at(root, label=root.name)
            return load.surface(Side(build=build, python=python()))

    return read


@pytest.fixture(scope="module", name="host")
def _host(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Scan]:
    """Return a reader of vLLM trees that keeps what it has read."""
    kept = tmp_path_factory.mktemp("cache")

    @cache
    def read(version: str) -> Scan:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("DGPIN_CACHE_DIR", str(kept))
            return scan(inputs.host(version))

    return read


def rows(found: Impact) -> frozenset[Row]:
    """Return the findings as rows."""
    return frozenset(
        (str(f.use.place), f.consequence, f.exception, f.parameter) for f in found.findings
    )


@pytest.mark.parametrize("name", MOVES)
def test_moves(name: str, surface: Callable[[Path], Surface], host: Callable[[str], Scan]) -> None:
    """A move breaks these lines of the tree, in this way, and no others."""
    version, a, b, expected = MOVES[name]

    found = impact(host(version), compare.compare(surface(a()), surface(b())))

    assert expected == rows(found)
    assert not found.is_incomplete


def test_the_chain(surface: Callable[[Path], Surface], host: Callable[[str], Scan]) -> None:
    """The wrapper that raises names the two calls of the masked backend, and the cure its name."""
    a, b = inputs.vendored("0.29.0"), inputs.vendored("0.30.0")
    found = impact(host("0.29.0"), compare.compare(surface(a), surface(b)))
    by_place = {str(f.use.place): f for f in found.findings}

    callers = [str(c.place) for c in by_place[f"{WRAPPER}:496"].use.callers if c.level == 1]

    assert [f"{MASKED}:458", f"{MASKED}:473"] == callers
    assert '"m_grouped_fp8_gemm_nt_masked"' in by_place[f"{WRAPPER}:278"].cure
    assert "activation_alpha" in by_place[f"{KIMI}:509"].cure


def widened(surface: Surface) -> Surface:
    """Return an API that takes more: each function one parameter, each module one name."""
    more = Parameter(name="quite_new", default="None")

    def longer(signature: Signature) -> Signature:
        return replace(signature, parameters=(*signature.parameters, more))

    symbols = [
        replace(s, signatures=tuple(map(longer, s.signatures)))
        if s.kind is Kind.FUNCTION and s.signatures
        else s
        for s in surface.symbols
    ]
    first = next(s for s in symbols if s.kind is Kind.FUNCTION)
    new: Symbol = replace(first, path="deep_gemm.quite_new", identity="quite_new")
    return replace(surface, symbols=(*symbols, new))


def test_moves_that_break_nothing(
    surface: Callable[[Path], Surface], host: Callable[[str], Scan]
) -> None:
    """Parameters appended and names gained are silent on the whole tree."""
    a = surface(inputs.vendored("0.30.0"))

    found = impact(host("0.30.0"), compare.compare(a, widened(a)))

    assert OWN_PIN == rows(found)


LINTED = {
    "0.30.0": {("falsy-default", f"{KIMI}:537"), ("broken-call", f"{WRAPPER}:455")},
    "0.29.0": {("broken-call", f"{WRAPPER}:443")},
}


@pytest.mark.parametrize("version", LINTED)
def test_lint(
    version: str, surface: Callable[[Path], Surface], host: Callable[[str], Scan]
) -> None:
    """Lint finds the one falsy default and the call that never worked, and nothing alike."""
    answer = lint(host(version), surface(inputs.vendored(version)))

    assert LINTED[version] == {(f.rule, str(f.place)) for f in answer.errors}


def test_lint_tells_loud_from_silent(
    surface: Callable[[Path], Surface], host: Callable[[str], Scan]
) -> None:
    """Of the names asked for with a default, two go on without, and E8M0 is one of them."""
    answer = lint(host("0.29.0"), surface(inputs.vendored("0.29.0")))
    notes = [f for f in answer.notes if f.rule == "optional-name"]

    silent = {str(f.place) for f in notes if "goes on without it" in f.message}

    assert (18, {f"{WRAPPER}:209", f"{WRAPPER}:275"}) == (len(notes), silent)
