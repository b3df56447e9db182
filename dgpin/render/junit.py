"""JUnit's XML, as CI servers read it: the de-facto schema of Jenkins and pytest."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from dgpin.verdict import Verdict

# XML 1.0 has no way to write these.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ELEMENTS = {
    Verdict.FAIL: "failure",
    Verdict.CRASH: "error",
    Verdict.TIMEOUT: "error",
    Verdict.UNSUPPORTED: "skipped",
    Verdict.SKIP: "skipped",
    Verdict.UNKNOWN: "skipped",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One test case; whatever is neither a pass nor a failure counts as skipped."""

    group: str
    name: str
    verdict: Verdict
    message: str = ""
    text: str = ""
    seconds: float = 0.0


def suite(name: str, cases: Iterable[Case]) -> str:
    """Return a document of one test suite."""
    listed = list(cases)
    kinds = [_ELEMENTS.get(case.verdict, "") for case in listed]
    root = ET.Element("testsuites")
    element = ET.SubElement(
        root,
        "testsuite",
        name=name,
        tests=str(len(listed)),
        failures=str(kinds.count("failure")),
        errors=str(kinds.count("error")),
        skipped=str(kinds.count("skipped")),
        time=f"{sum(case.seconds for case in listed):.3f}",
    )
    for case, kind in zip(listed, kinds, strict=True):
        shown = ET.SubElement(
            element,
            "testcase",
            classname=_clean(f"{name}.{case.group}"),
            name=_clean(case.name),
            time=f"{case.seconds:.3f}",
        )
        if kind:
            message = f"{case.verdict.value}: {case.message}"
            ET.SubElement(shown, kind, message=_clean(message)).text = _clean(case.text)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("�", text)
