"""The forms of `dgpin smoke`."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from dgpin.render import smoke, terminal
from dgpin.smoke.explain import explain
from dgpin.smoke.report import Report
from dgpin.smoke.results import Trouble
from dgpin.verdict import Verdict
from tests.smoke.reports import DECLINED, FAILING_FACT, FAULTY, PASSED, WRONG, ran, report, result

SCHEMA = json.loads(
    (Path(smoke.__file__).parent / "schemas" / "smoke.json").read_text(encoding="utf-8")
)
EVERYTHING = report(PASSED, FAULTY, WRONG, DECLINED, facts=(FAILING_FACT,))
COMPARED = report(PASSED, FAULTY, old=ran(PASSED, PASSED.__class__(check=FAULTY.check,
                  verdict=PASSED.verdict)))  # fmt: skip


def rendered(made: Report, form: str) -> str:
    """Return one form as text."""
    value = smoke.renderers(made)[form]()
    return value if isinstance(value, str) else terminal.plain(value)


def test_text() -> None:
    """Every check has its line; a failure has its cause, its cure and the raw lines below."""
    lines = rendered(EVERYTHING, "text").splitlines()

    assert lines == [
        "build    build  2.8.0, _C 5694d08a2e53, headers abababababab",
        "gpu      NVIDIA H200 (sm_90), driver 580.1",
        "torch    2.11.0+cu130, Python 3.12.3",
        "toolkit  nvcc 13.0 in /cuda (CUDA_HOME)",
        "FAIL    nvcc                no nvcc",
        "                            /cuda",
        "                            Set CUDA_HOME.",
        "pass        gemm                1.4e-09 <= 1e-06      control 0.7       2.5 s   0.040 ms",
        f"FAIL        zero                {'':22}{'':16}{'':22}out of bounds",
        f"FAIL        mixed               {'nan <= 1e-06':22}{'':16}{'':22}calc_diff nan | over",
        f"unsupported paged               {'':22}{'':16}{'':22}block_kv == 64",
        "zero: the kernel touched memory that is not its own (fault)",
        "  Do not move the pin here; `dgpin smoke --only` with this check repeats it.",
        "  | RuntimeError: an illegal memory access was encountered",
        "1 pass, 2 fail, 1 unsupported in 3.5 s",
        "proven on none; not on sm_90, sm_100, sm_103, sm_120",
    ]


def test_compared_text() -> None:
    """A comparison shows both answers and both times with their spread."""
    text = rendered(COMPARED, "text")

    assert "same        gemm                pass 1.4e-09                 -> pass 1.4e-09" in text
    assert "0.040 ms (0.030 to 0.050) -> 0.040 ms (0.030 to 0.050)" in text
    assert "new failure zero                pass" in text
    assert "1 new failure, 1 same" in text


def test_markdown() -> None:
    """Markdown holds versions, every check and what is not proven; no cell breaks its row."""
    text = rendered(EVERYTHING, "markdown")
    rows = [line for line in text.splitlines() if line.startswith("| mixed ")]

    assert ["| mixed | fail | nan | 1e-06 |  | 0.0 |  | calc_diff nan \\| over |"] == rows
    assert "- GPU: NVIDIA H200 (sm_90), driver 580.1" in text
    assert text.endswith("Proven on none; not on sm_90, sm_100, sm_103, sm_120.\n")


@pytest.mark.parametrize("made", [EVERYTHING, COMPARED, report(blocked="no GPU"), report(level=0)])
def test_json_is_as_its_schema_says(made: Report) -> None:
    """The evidence keeps to its schema, and its numbers are JSON's."""
    text = rendered(made, "json")
    value = json.loads(text, parse_constant=pytest.fail)

    jsonschema.validate(value, SCHEMA)


def test_junit() -> None:
    """Each fact and check is a case; what is neither a pass nor a failure is skipped."""
    suite = ET.fromstring(rendered(EVERYTHING, "junit")).find("testsuite")

    assert suite is not None
    assert ("5", "3", "0", "1") == tuple(
        suite.attrib[name] for name in ("tests", "failures", "errors", "skipped")
    )
    assert ["nvcc", "gemm", "zero", "mixed", "paged"] == [
        case.attrib["name"] for case in suite.iter("testcase")
    ]


def test_github(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Findings become annotations, and the tables go to the step summary."""
    summary = tmp_path / "summary"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    annotations = rendered(EVERYTHING, "github").splitlines()

    assert 3 == len(annotations)
    assert all(line.startswith("::error") for line in annotations)
    assert summary.read_text().startswith("## build")


def test_listing() -> None:
    """The list names each check with what it guards, and says where it never ran."""
    from dgpin.smoke import catalogue

    text = terminal.plain(smoke.listing(catalogue.load()))

    assert "mixed0_n1" in text
    assert "never run on sm_100, sm_103, sm_120" in text


def test_forms() -> None:
    """The forms that are promised are those that there are."""
    assert smoke.FORMS == tuple(smoke.renderers(EVERYTHING))


def test_older_build_that_does_not_load() -> None:
    """When the older build cannot be loaded, that is said, and nothing is compared."""
    broken = Trouble(where="build", explanation=explain("undefined symbol: _Z1f"), raw="")
    made = report(PASSED, old=ran(result("gemm", Verdict.SKIP), trouble=broken))

    assert "FAIL     new, build: `_C` was built against another torch" in rendered(made, "text")
    assert 3 == made.exit_code()
