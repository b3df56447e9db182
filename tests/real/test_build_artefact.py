"""Published builds judged against the torch that the tests have."""

from pathlib import Path

import pytest

from dgpin.build import artefact, interpreter
from dgpin.verdict import Row, Verdict
from tests.real import inputs


def judged(root: Path) -> dict[str, Row]:
    """Return the rows on a build that are no pass, by rule."""
    python = interpreter.read(str(inputs.torch_python()))
    rows = artefact.check_artefact(root, interpreter=python)
    return {row.rule: row for row in rows if row.verdict is not Verdict.PASS}


@pytest.mark.parametrize("version", ["2.5.0", "2.6.1", "2.8.0", "2.8.2"])
def test_published_build_fits(version: str) -> None:
    """The builds that import under this torch have nothing to say against them."""
    assert {} == judged(inputs.build(version))


def test_build_for_another_torch_is_told() -> None:
    """vLLM 0.30.0's copy was built for torch 2.13: the one function that 2.14.1 lacks is named."""
    found = judged(inputs.vendored("0.30.0"))

    assert {"artefact-torch"} == found.keys()
    assert "c10::cuda::c10_cuda_check_implementation" in found["artefact-torch"].message
