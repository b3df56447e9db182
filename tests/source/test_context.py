"""The function in which a line stands."""

import pytest

from dgpin.source.context import function_at

CUDA = """\
namespace deep_gemm {

struct Scheduler {
    uint32_t num_sms;

    CUTLASS_DEVICE void advance(const uint32_t& step,
                                uint32_t next) const {
        if (step < next) {
            num_done += step;
        }
    }
};

template <uint32_t kNumThreads>
CUTLASS_GLOBAL __launch_bounds__(kNumThreads, 1)
void paged_logits(const uint32_t batch_size,
                  uint32_t* metadata) {
    struct Storage {
        float values[4];
    };
    const auto load = [&](const uint32_t& idx) {
        issue(idx);
    };
    for (uint32_t i = 0; i < batch_size; ++ i) {
        cluster_size > 1 ? cluster_sync() : void();
        write(metadata, i);
    }
}

__global__ void
margin_impl(int* out) {
    out[0] = 1;
}

}  // namespace deep_gemm
"""
PYTHON = """\
import torch

LIMIT = 4


class Buffer:
    def __init__(self, size: int,
                 kind: str):
        self.size = size
        assert (size >
                0)

    async def fill(self):
        return self.size


def outer():
    x = call(1)
    return x
"""


def _at(text: str, part: str) -> str:
    lines = text.split("\n")
    return function_at(lines, next(n for n, line in enumerate(lines) if part in line))


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("num_done", "advance"),
        ("uint32_t num_sms", "Scheduler"),
        ("float values", "Storage"),
        ("issue(idx)", "paged_logits"),
        ("cluster_sync", "paged_logits"),
        ("write(metadata", "paged_logits"),
        ("void paged_logits", "paged_logits"),
        ("out[0]", "margin_impl"),
        ("namespace deep_gemm {", ""),
    ],
)
def test_cuda(part: str, name: str) -> None:
    """The innermost function or type is named; calls, loops, lambdas and macros are none."""
    assert name == _at(CUDA, part)


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("self.size = size", "__init__"),
        ("0)", "__init__"),
        ("return self.size", "fill"),
        ("x = call", "outer"),
        ("LIMIT", ""),
    ],
)
def test_python(part: str, name: str) -> None:
    """A method or function is named by its `def`."""
    assert name == _at(PYTHON, part)


@pytest.mark.parametrize("number", [-1, 100])
def test_outside(number: int) -> None:
    """A line that is not there stands in no function."""
    assert "" == function_at(["void f() {", "}"], number)
