"""Broken machines, made one fault at a time: the right check, the right cause, the right exit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dgpin.smoke.case import Check
from dgpin.smoke.report import Report
from dgpin.verdict import Verdict
from tests.integration.smoke import world
from tests.integration.smoke.world import GOOD, World


@pytest.fixture(name="machine")
def _machine(tmp_path: Path) -> World:
    return world.make(tmp_path / "machine")


def facts(report: Report) -> list[str]:
    """Return the rules of level 0 that fail."""
    return [row.rule for row in report.facts if row.verdict.is_finding]


def answer(report: Report, name: str = "steady") -> tuple[str, str]:
    """Return a check's verdict and the cause that was found for it."""
    result = next(each for each in report.results if each.check.id == name)
    return result.verdict.value, result.explanation.cause if result.explanation else ""


def cubin(machine: World, content: bytes) -> None:
    """Fill the JIT cache with a cubin of this content, where the run will look for it."""
    machine.run(machine.good())
    for path in machine_cache(machine).rglob("kernel.cubin"):
        path.write_bytes(content)


def machine_cache(_machine: World) -> Path:
    from dgpin import cache

    return cache.root() / "smoke"


def test_sound_machine(machine: World) -> None:
    """On a sound machine the good check passes, nothing fails, and the exit code is 0."""
    report = machine.run(machine.good())

    assert [] == facts(report)
    assert ("pass", "") == answer(report)
    assert 0 == report.exit_code()
    assert ("sm_90",) == report.proven


Break = Callable[[World], object]
MACHINES: dict[str, tuple[Break, list[str], tuple[str, str]]] = {
    "old nvcc": (
        lambda m: m.env.update(FAKE_NVCC="12.1"),
        ["nvcc"],
        ("fail", "old-nvcc"),
    ),
    "a CUDA home that is not there": (
        lambda m: m.env.update(CUDA_HOME="/nonexistent"),
        ["nvcc"],
        ("fail", "no-nvcc"),
    ),
    "a CUDA home without nvcc": (
        lambda m: (m.root / "cuda/bin/nvcc").unlink(),
        ["nvcc"],
        ("fail", "no-nvcc"),
    ),
    "no g++": (
        lambda m: (m.root / "bin/g++").unlink(),
        ["compiler"],
        ("fail", "no-compiler"),
    ),
    "no directory for temporary files": (
        lambda m: m.env.update(TMPDIR="/nonexistent"),
        [],
        ("fail", "temporary-directory"),
    ),
    "truncated cubin": (
        lambda m: cubin(m, b"trunc"),
        [],
        ("crash", "segmentation-fault"),
    ),
    "empty cubin": (lambda m: cubin(m, b""), [], ("fail", "cache-damaged")),
    "garbage for a cubin": (lambda m: cubin(m, b"\0\1\2"), [], ("fail", "cache-damaged")),
    "another kernel's cubin": (lambda m: cubin(m, b"other"), [], ("fail", "stale-kernel")),
    "a kernel's source that does not compile": (
        lambda m: (m.package / "include/deep_gemm/kernel.cuh").write_text("syntax-error\n"),
        [],
        ("fail", "compile"),
    ),
    "a header of the package that is missing": (
        lambda m: (m.package / "include/deep_gemm/kernel.cuh").unlink(),
        [],
        ("fail", "missing-header"),
    ),
    "toolkits mixed": (
        lambda m: (m.root / "cuda/include/cuda.h").write_text("#define CUDA_VERSION 12080\n"),
        ["nvcc"],
        ("pass", ""),
    ),
    "a CUDA 12 build": (
        lambda m: (m.package / "_C.so").write_bytes(
            (m.package / "_C.so").read_bytes().replace(b"libcudart.so.13", b"libcudart.so.12")
        ),
        ["libraries"],
        ("pass", ""),
    ),
    "a build for another torch": (
        lambda m: (m.package / "_C.so").write_bytes(
            world.shared_object(world.LIBRARIES, world.bindings(), undefined=["_ZN3c105ErrorC1Ev"])
        ),
        ["symbols"],
        ("pass", ""),
    ),
    "a C++ runtime inside the build": (
        lambda m: (m.package / "_C.so").write_bytes(
            world.shared_object(world.LIBRARIES[:1], world.bindings())
        ),
        ["c++-runtime"],
        ("pass", ""),
    ),
    "a file that is no shared object": (
        lambda m: (m.package / "_C.so").write_bytes("\0".join(world.bindings()).encode() + b"\0"),
        ["libraries"],
        ("pass", ""),
    ),
    "a keyword gone from the build": (
        lambda m: (m.package / "_C.so").write_bytes(
            (m.package / "_C.so").read_bytes().replace(b"clean_logits", b"CLEAN_LOGITS")
        ),
        ["names"],
        ("pass", ""),
    ),
}


@pytest.mark.parametrize("name", MACHINES)
def test_broken_machine(machine: World, name: str) -> None:
    """A broken machine is told by the right row of level 0, the right cause, and exit code 1."""
    damage, rules, expected = MACHINES[name]
    damage(machine)

    report = machine.run(machine.good())

    assert rules == facts(report)
    assert expected == answer(report)
    assert 1 == report.exit_code()


BODIES: dict[str, tuple[str, dict[str, Any], tuple[str, str], str]] = {
    "the output is NaN": (
        'return Outcome(number=bench.build.kernel("odd", float("nan")))',
        {},
        ("fail", ""),
        "calc_diff nan is over the limit 1e-06",
    ),
    "the reference is off by one": (
        'return Outcome(number=bench.build.kernel("odd", 0.02), controls={"x": 0.5})',
        {},
        ("fail", ""),
        "calc_diff 0.02 is over the limit 1e-06",
    ),
    "the control is not noticed": (
        'return Outcome(number=bench.build.kernel("odd"), controls={"rolled": 2e-9})',
        {},
        ("fail", ""),
        "a wrong operand was not noticed (rolled 2e-09): the check proves nothing",
    ),
    "the bits change": (
        "return Outcome(number=0, differing=3)",
        {},
        ("fail", ""),
        "3 repeated calls differ in their bits",
    ),
    "the kernel hangs": (
        'return bench.first("fp8_gemm_nt", bench.build.hang)',
        {"deadline": 0.5},
        ("timeout", "hang"),
        (
            "no answer in fp8_gemm_nt: no answer in time: a kernel hangs, or a truncated cubin"
            " does, as 2.6 does on one"
        ),
    ),
    "the process dies": (
        "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
        {},
        ("crash", "segmentation-fault"),
        (
            "the process ended with -11: a segmentation fault without a word: `_C` and torch do"
            " not fit, or a cubin in the JIT cache is truncated, on which 2.8 dies"
        ),
    ),
    "the process leaves": (
        "import os; os._exit(4)",
        {},
        ("crash", "unexplained"),
        "the process ended with 4: no known cause",
    ),
    "the kernel faults": (
        "bench.torch.lose(); return Outcome(number=0)",
        {},
        ("fail", "fault"),
        "the kernel touched memory that is not its own",
    ),
    "the memory is full": (
        'raise RuntimeError("CUDA out of memory. Tried to allocate 20.00 GiB")',
        {},
        ("fail", "out-of-memory"),
        "the GPU's memory is used up, probably by others",
    ),
    "the call has changed": (
        "raise TypeError(\"f() got an unexpected keyword argument 'clean_logits'\")",
        {},
        ("fail", "call"),
        "the function is gone or takes other arguments",
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_broken_kernel(machine: World, name: str) -> None:
    """A broken kernel fails its own check, with its cause, and no other check."""
    body, fields, expected, message = BODIES[name]
    odd = machine.check("odd", body, **fields)
    after = machine.check("steady_too", GOOD)

    report = machine.run(odd, machine.good(), after, shards=1)

    assert expected == answer(report, "odd")
    assert message == report.results[0].message
    assert {"pass"} == {result.verdict.value for result in report.results[1:]}
    assert 1 == report.exit_code()


def test_unwritable_cache(machine: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache that cannot be written is told before anything runs, and by the kernel too."""
    blocker = machine.root / "a file"
    blocker.write_text("")
    monkeypatch.setenv("DGPIN_CACHE_DIR", str(blocker / "below"))

    report = machine.run(machine.good())

    assert ["jit-cache"] == facts(report)
    assert ("fail", "cache-unwritable") == answer(report)
    assert 1 == report.exit_code()


def test_stale_headers(machine: World) -> None:
    """An edited cutlass header is compiled anew, though DeepGEMM's own cache key misses it."""
    header = machine.package / "include/cutlass/number.h"
    check = machine.check("reads", "return Outcome(number=bench.build.number_in_header())")
    header.write_text("0.0")
    before = machine.run(check)
    header.write_text("0.25")
    after = machine.run(check)

    assert ["pass"] == [result.verdict.value for result in before.results]
    assert ["fail"] == [result.verdict.value for result in after.results]


def test_foreign_copy(machine: World) -> None:
    """Another deep_gemm that the host would import first is said first, and fails the run."""
    world.build(machine.site / "deep_gemm")
    own = world.build(machine.site / "vllm" / "third_party" / "deep_gemm")
    (machine.site / "deep_gemm" / "_C.so").write_bytes(b"something else")

    report = machine.run(machine.good(), build=str(own))

    assert "other-copy" == report.facts[0].rule
    assert str(machine.site / "deep_gemm") in report.facts[0].message
    assert Verdict.UNKNOWN is report.facts[0].verdict
    installed = machine.run(machine.good(), build="installed")
    assert "other-copy" in facts(installed)
    assert 1 == installed.exit_code()


def test_other_torch(machine: World) -> None:
    """A build for another torch does not load: one finding, and no check counts as run."""
    (machine.package / "broken_import").write_text("")

    report = machine.run(machine.good())

    assert report.ran is not None
    assert report.ran.trouble is not None
    assert ("build", "abi") == (report.ran.trouble.where, report.ran.trouble.explanation.cause)
    assert ("skip", "") == answer(report)
    assert 1 == report.exit_code()


def test_required_torch(machine: World) -> None:
    """A wheel that requires another torch is told so before anything is loaded."""
    metadata = machine.package.parent / "deep_gemm-9.dist-info"
    metadata.mkdir()
    (metadata / "RECORD").write_text("deep_gemm/__init__.py,,\n")
    (metadata / "METADATA").write_text("Name: deep_gemm\nRequires-Dist: torch==2.13.0\n\n")

    assert ["torch"] == facts(machine.run(machine.good(), level=0))


def test_no_torch(machine: World) -> None:
    """An interpreter without torch is named by level 0."""
    (machine.site / "torch" / "version.py").unlink()

    assert ["torch"] == facts(machine.run(machine.good(), level=0))


def test_no_extension(machine: World) -> None:
    """A package without a `_C` for this Python is named by level 0."""
    (machine.package / "_C.so").unlink()

    assert ["extension"] == facts(machine.run(machine.good(), level=0))


def test_no_headers(machine: World) -> None:
    """A package without its include tree is named by level 0."""
    (machine.package / "include" / "cute").rmdir()

    assert ["include-tree"] == facts(machine.run(machine.good(), level=0))


@pytest.mark.parametrize(
    ("gpu", "why"),
    [
        ("none", "there is no GPU that this process can use"),
        ("10.0", "the GPU is Fake GPU (sm_100), not sm_90"),
    ],
)
def test_no_place_to_run(machine: World, gpu: str, why: str) -> None:
    """Without the right GPU nothing is run, nothing is proven, and the exit code is 3."""
    machine.env["FAKE_GPU"] = gpu

    report = machine.run(machine.good(), arch="sm_90")

    assert report.blocked.startswith(why)
    assert () == report.proven
    assert 3 == report.exit_code()


def test_broken_build_on_another_gpu(machine: World) -> None:
    """A finding of level 0 is told by its exit code 1, also where nothing can be run."""
    machine.env["FAKE_GPU"] = "10.0"
    (machine.package / "include" / "cute").rmdir()

    report = machine.run(machine.good(), arch="sm_90")

    assert "the GPU is Fake GPU (sm_100), not sm_90" == report.blocked
    assert ["include-tree"] == facts(report)
    assert 1 == report.exit_code()


def test_gpu_without_checks(machine: World) -> None:
    """On a GPU for which there are no checks, nothing is proven and the exit code is 3."""
    machine.env["FAKE_GPU"] = "8.9"

    report = machine.run(machine.good())

    assert "there are no checks for Fake GPU (sm_89)" == report.blocked
    assert 3 == report.exit_code()


def test_no_driver_tool(machine: World) -> None:
    """Where nvidia-smi does not say which GPU this is, the interpreter under test does."""
    (machine.root / "bin" / "nvidia-smi").unlink()
    machine.env["FAKE_GPU"] = "10.0"

    report = machine.run(machine.good())

    assert "the GPU is sm_100, and sm_90 was asked for; --arch names another" == report.blocked
    assert 3 == report.exit_code()


def refusing(machine: World) -> Check:
    """Write a check whose shape the build declines."""
    return machine.check(
        "declined",
        'raise RuntimeError("Assertion error (attention.hpp:9): block_kv == 64")',
        capabilities=("block_kv32",),
        refusals=(r"(?<!or )block_kv == 64(?! or)",),
    )


def test_unsupported_is_no_pass(machine: World) -> None:
    """What the build declines is unsupported, with its assertion, and proves nothing."""
    report = machine.run(refusing(machine))

    assert Verdict.UNSUPPORTED is report.results[0].verdict
    assert report.results[0].message.endswith("block_kv == 64")
    assert () == report.proven
    assert 3 == report.exit_code()


def test_expected_is_a_failure(machine: World) -> None:
    """What the build declines and the host needs is a failure."""
    report = machine.run(refusing(machine), expected=frozenset({"block_kv32"}))

    assert Verdict.FAIL is report.results[0].verdict
    assert report.results[0].message.startswith("the host needs block_kv32: ")
    assert "block_kv32" in facts(report)
    assert 1 == report.exit_code()


def test_user_environment_does_not_decide(machine: World) -> None:
    """Variables of DeepGEMM that are set here are dropped, and the report says so."""
    machine.env["DG_JIT_CACHE_DIR"] = "/nonexistent"
    machine.env["DG_JIT_CPP_STANDARD"] = "17"

    report = machine.run(machine.good())

    assert ("pass", "") == answer(report)
    assert "environment" == report.facts[-1].rule
    assert report.facts[-1].message.endswith("DG_JIT_CACHE_DIR, DG_JIT_CPP_STANDARD")


def test_against_an_older_build(machine: World) -> None:
    """A against B: what both fail is no finding, what only the new one fails is."""
    old = world.build(machine.root / "old" / "deep_gemm")
    (machine.package / "is_new").write_text("")
    body = """
        from pathlib import Path
        new = Path(bench.build.__file__).with_name("is_new").exists()
        return Outcome(number=float({}))
    """
    checks = [
        machine.check(name, body.format(number))
        for name, number in (("worse", "new"), ("better", "not new"), ("bad", "1"), ("good", "0"))
    ]

    report = machine.run(*checks, against=str(old.parent))

    assert ["new failure", "fixed", "both", "same"] == [
        pair.difference.value for pair in report.pairs
    ]
    assert 1 == report.exit_code()
    assert 0 == machine.run(*checks[1:], against=str(old.parent)).exit_code()


def test_sanitizer(machine: World) -> None:
    """Level 3 repeats the core under each tool, and what a tool prints fails that check alone."""
    leaky = machine.check(
        "leaky",
        """
        import os
        if os.environ.get("SANITIZED") == "memcheck":
            print("========= Invalid __shared__ read of size 4 bytes")
            print("=========     at deep_gemm::sched::kernel+0x10")
        return Outcome(number=0)
        """,
    )

    report = machine.run(machine.good(), leaky, level=3)

    assert {
        "steady": "pass",
        "leaky": "pass",
        "memcheck:steady": "pass",
        "memcheck:leaky": "fail",
        "racecheck:steady": "pass",
        "racecheck:leaky": "pass",
    } == {result.check.id: result.verdict.value for result in report.results}
    assert "Invalid __shared__ read of size 4 bytes" == report.results[3].message


def test_cold_cache(machine: World) -> None:
    """Level 3 lets eight processes fill one empty cache at once."""
    check = machine.check("fp8_einsum", GOOD)

    report = machine.run(check, level=3)

    assert "cold-cache:fp8_einsum" in [result.check.id for result in report.results]
    assert 0 == report.exit_code()


def test_no_sanitizer(machine: World) -> None:
    """Without compute-sanitizer its part is a skip with its reason, never a pass."""
    (machine.root / "cuda/bin/compute-sanitizer").unlink()

    report = machine.run(machine.good(), level=3)

    assert ["pass", "skip", "skip"] == [result.verdict.value for result in report.results]
    assert report.results[1].message.startswith("compute-sanitizer is neither in ")
