"""What really changed between real builds, and what a comparison says of it.

The tables were written by hand from the builds' own documentation and source, change by change:
they are what the comparison is held against, not what it once printed.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from pathlib import Path

import pytest

from dgpin.api import builds, diff, load
from dgpin.api.change import Change, Level
from dgpin.api.diff import Question
from dgpin.api.report import Report
from dgpin.api.surface import is_private
from dgpin.build import interpreter
from dgpin.verdict import Verdict
from tests.real import inputs

Row = tuple[str, str, str]  # rule, name, parameter
Compared = Callable[[Path, Path], Report]


@dataclass(frozen=True, kw_only=True)
class Move:
    """One move, and all that it changes. Names are below `deep_gemm.`."""

    breaking: frozenset[Row]
    private: frozenset[Row] = frozenset()
    risky: frozenset[Row] = frozenset()
    appended: dict[str, int] = field(default_factory=dict)  # parameter: on how many functions
    widened: frozenset[str] = frozenset()
    added: frozenset[str] = frozenset()
    heirs: dict[str, str] = field(default_factory=dict)


NEW_IN_2_8_0 = frozenset(
    {
        "batched_symm",
        "batched_syrk",
        "bf16_mega_gate",
        "cublaslt_nvfp4_gemm_nt",
        "fp4_gemm_nt",
        "fp8_fp4_paged_sparse_mqa_logits",
        "fp8_fp4_sparse_mqa_logits",
        "get_bf16_mega_gate_config",
        "get_mqa_logits_metadata",
        "get_paged_sparse_mqa_logits_metadata",
        "get_sparse_mqa_logits_metadata",
        "k_grouped_fp4_gemm_nt_contiguous",
        "m_grouped_fp4_gemm_nt_contiguous",
        "m_grouped_fp4_gemm_nt_masked",
        "mega_mhc",
        "use_deterministic_algorithms",
    }
)
MASKED = {
    "fp8_m_grouped_gemm_nt_masked": "m_grouped_fp8_gemm_nt_masked",
    "bf16_m_grouped_gemm_nt_masked": "m_grouped_bf16_gemm_nt_masked",
}
TO_2_8_0 = frozenset(
    {
        ("alias-removed", "fp8_m_grouped_gemm_nt_masked", ""),
        ("alias-removed", "bf16_m_grouped_gemm_nt_masked", ""),
        ("parameter-removed", "einsum", "use_cublaslt"),
        (
            "parameter-removed",
            "get_theoretical_mk_alignment_for_contiguous_layout",
            "num_groups",
        ),
        ("parameter-removed", "fp8_fp4_mega_moe", "situ_beta"),
        ("parameter-removed", "fp8_fp4_mega_moe", "situ_linear_beta"),
    }
)

MOVES = {
    "2.6.1 to 2.8.0": Move(
        breaking=TO_2_8_0 | {("symbol-removed", "fp4_fp4_mega_moe", "")},
        private=frozenset(
            {
                ("arity-changed", "_C.init", ""),
                ("arity-changed", "_C.fp8_fp4_mega_moe", ""),
                ("symbol-removed", "_C.fp4_fp4_mega_moe", ""),  # the raw half of the wrapper
            }
        ),
        # Eight fp8 and fp8_fp4 GEMMs and four bf16 ones.
        appended={"alpha": 12, "schedule_meta": 1, "base": 1},
        widened=frozenset({"fp8_einsum"}),
        added=NEW_IN_2_8_0,
        heirs=MASKED,
    ),
    "2.8.0 to 2.8.2": Move(
        breaking=frozenset(
            {
                ("symbol-removed", "fp8_mqa_logits", ""),
                ("symbol-removed", "fp8_paged_mqa_logits", ""),
                ("symbol-removed", "fp8_gemm_nt_skip_head_mid", ""),
                ("symbol-removed", "get_bf16_mega_gate_config", ""),
                ("parameter-removed", "fp8_fp4_mqa_logits", "clean_logits"),
                ("parameter-removed", "fp8_fp4_mqa_logits", "logits_dtype"),
                ("parameter-required", "fp8_fp4_mqa_logits", "max_seqlen_k"),
                ("parameter-removed", "fp8_fp4_paged_mqa_logits", "clean_logits"),
                ("parameter-removed", "fp8_fp4_paged_mqa_logits", "logits_dtype"),
            }
        ),
        risky=frozenset({("default-changed", "bf16_mega_gate", "scoring_func")}),
        appended={"epilogue": 30},
        added=frozenset(
            {
                "destroy_localizer",
                "epilogue",
                "get_num_locality_domains",
                "is_localization_available",
                "is_localized",
                "jit_hooks",
                "locality_domain",
                "localize",
                "shutdown",
                "utils.mlopart",
            }
        ),
    ),
    "vLLM 0.29.0 to 0.30.0": Move(
        breaking=TO_2_8_0,
        private=frozenset(
            {
                ("arity-changed", "_C.init", ""),
                # The pins' `_C` appends two numbers to one kernel, and no longer takes None for
                # the same two of another.
                ("arity-changed", "_C.bf16_mega_moe", ""),
                ("type-narrowed", "_C.fp8_fp4_mega_moe", "arg16"),
                ("type-narrowed", "_C.fp8_fp4_mega_moe", "arg17"),
            }
        ),
        appended={
            "alpha": 12,
            "schedule_meta": 1,
            "base": 1,
            "activation_alpha": 1,
            "activation_beta": 1,
        },
        widened=frozenset({"fp8_einsum"}),
        added=NEW_IN_2_8_0
        | {"SymmBuffer.activation", "SymmBuffer.mma_type", "SymmBuffer.num_shared_experts"},
        heirs=MASKED,
    ),
}


def where(name: str) -> tuple[Path, Path]:
    """Return the two builds of a move."""
    if name.startswith("vLLM"):
        return inputs.vendored("0.29.0"), inputs.vendored("0.30.0")
    old, new = name.split(" to ")
    return inputs.build(old), inputs.build(new)


@cache
def python() -> interpreter.Interpreter:
    """Return the interpreter that has torch."""
    return interpreter.read(str(inputs.torch_python()), modules=load.MODULES)


def question(root: Path) -> Question:
    """Return one side, to be loaded."""
    return Question(named=builds.at(root, label=root.name), python=python())


@pytest.fixture(scope="module", name="compared")
def _compared(tmp_path_factory: pytest.TempPathFactory) -> Compared:
    """Compare two builds; what was loaded for one test is not loaded again for the next."""
    place = str(tmp_path_factory.mktemp("cache"))

    @cache
    def compared(a: Path, b: Path) -> Report:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("DGPIN_CACHE_DIR", place)
            return diff.report(question(a), question(b), accepted=(), today=date(2026, 1, 1))

    return compared


@pytest.fixture(scope="module", params=MOVES, name="answer")
def _answer(request: pytest.FixtureRequest, compared: Compared) -> tuple[Move, Report]:
    return MOVES[request.param], compared(*where(request.param))


def rows(report: Report, level: Level, *, private: bool) -> frozenset[Row]:
    """Return the changes of one level as the tables have them."""
    found = report.comparison.at(level, private=private)
    return frozenset((c.rule, c.path.removeprefix("deep_gemm."), c.parameter) for c in found)


def test_breaking(answer: tuple[Move, Report]) -> None:
    """Exactly what breaks is said to break, each once."""
    move, report = answer

    assert move.breaking == rows(report, Level.BREAKING, private=False)
    assert len(move.breaking) == len(report.comparison.breaking)


def test_private(answer: tuple[Move, Report]) -> None:
    """What shows under `_C` alone is a section of its own."""
    move, report = answer

    assert move.private == rows(report, Level.BREAKING, private=True)


def test_risky(answer: tuple[Move, Report]) -> None:
    """A changed default is neither missed nor called a break."""
    move, report = answer

    assert move.risky == rows(report, Level.RISKY, private=False)


def test_compatible(answer: tuple[Move, Report]) -> None:
    """An appended parameter is one line, on however many functions it shows."""
    move, report = answer
    quiet = report.comparison.at(Level.COMPATIBLE, private=False)

    appended = [c for c in quiet if c.rule == "parameter-added"]
    assert move.appended == {c.parameter: functions(c) for c in appended}
    assert move.widened == {
        c.path.removeprefix("deep_gemm.") for c in quiet if c.rule == "type-widened"
    }
    assert len(quiet) == len(move.appended) + len(move.widened)


def functions(change: Change) -> int:
    """Return on how many functions a change shows, whatever their further names are."""
    return len({n for n in change.names if n.count(".") == 1 and not is_private(n)})


def test_added(answer: tuple[Move, Report]) -> None:
    """New names are listed by the name that a host would use."""
    move, report = answer
    new = report.comparison.at(Level.ADDED, private=False)

    assert move.added == {c.path.removeprefix("deep_gemm.") for c in new}


def test_heirs(answer: tuple[Move, Report]) -> None:
    """A removed alias names the name that its object still has; likeness alone names none."""
    move, report = answer
    found = {
        c.path.removeprefix("deep_gemm."): c.successor.name.removeprefix("deep_gemm.")
        for c in report.comparison.changes
        if c.successor is not None
    }

    assert move.heirs == found


def test_witnesses(answer: tuple[Move, Report]) -> None:
    """Every break of the public surface comes with a call that was tried on both builds."""
    _, report = answer

    assert [] == [c.path for c in report.comparison.breaking if c.witness is None]


def test_private_witnesses(answer: tuple[Move, Report]) -> None:
    """What cannot be tried without running it says so: a call with nothing to refuse."""
    _, report = answer
    silent = [c for c in report.comparison.at(Level.BREAKING, private=True) if c.witness is None]

    assert {"deep_gemm._C.init", "deep_gemm._C.fp8_fp4_mega_moe"} >= {c.path for c in silent}
    assert all("would run" in c.unwitnessed for c in silent)


def test_verdict(answer: tuple[Move, Report]) -> None:
    """All of it was read, and something breaks."""
    _, report = answer

    assert Verdict.FAIL == report.verdict
    assert () == report.comparison.unreadable
    assert () == report.comparison.incomparable


def test_lazy(compared: Compared) -> None:
    """A build for another torch is read all the same, and the answer says how."""
    report = compared(inputs.vendored("0.30.0"), inputs.vendored("0.30.0"))

    assert (
        "loaded lazily: it was built for another torch (there is no "
        "`c10::cuda::c10_cuda_check_implementation`); its signatures can be read, its functions "
        "must not be called"
    ) in report.comparison.a.notes


@pytest.mark.parametrize("version", [*inputs.BUILDS, "0.29.0", "0.30.0"])
def test_itself(version: str, compared: Compared) -> None:
    """A build does not differ from itself."""
    root = inputs.build(version) if version in inputs.BUILDS else inputs.vendored(version)
    report = compared(root, root)

    assert () == report.comparison.changes
    assert () == report.moved
    assert Verdict.PASS == report.verdict


def test_shifted(compared: Compared) -> None:
    """The quiet half of a removal is told: a sixth argument by place becomes another parameter."""
    report = compared(*where("2.8.0 to 2.8.2"))
    clean = next(
        c
        for c in report.comparison.breaking
        if (c.path, c.parameter) == ("deep_gemm.fp8_fp4_mqa_logits", "clean_logits")
    )

    assert "by position, what was `clean_logits` is taken as `max_seqlen_k`" in clean.detail


def test_lost_architecture(compared: Compared) -> None:
    """A move from a build with SM120 kernels to one without says so, whatever the API says."""
    report = compared(*where("2.6.1 to 2.8.0"))

    assert [("sm_120",)] == [m.lost for m in report.moved if m.what == "architectures"]
