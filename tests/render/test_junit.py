"""JUnit's form can hold whatever a process printed."""

from xml.etree import ElementTree as ET

from hypothesis import given, settings
from hypothesis import strategies as st

from dgpin.render.junit import Case, suite
from dgpin.verdict import Verdict

TEXT = st.text(st.characters(codec="utf-8"))


@settings(deadline=None)  # the first one imports
@given(TEXT, TEXT, st.sampled_from(Verdict))
def test_any_text(message: str, text: str, verdict: Verdict) -> None:
    """No text breaks the document, and the counts are right."""
    case = Case(group="g", name="n", verdict=verdict, message=message, text=text, seconds=1.5)
    found = ET.fromstring(suite("s", [case])).find("testsuite")

    assert found is not None
    counted = [int(found.attrib[name]) for name in ("failures", "errors", "skipped")]
    assert sum(counted) == (verdict is not Verdict.PASS)
    assert "1.500" == found.attrib["time"]
