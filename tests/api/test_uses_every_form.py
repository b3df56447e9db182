"""Every form in which a host reaches the API: found, and judged line by line."""

import re
from collections import Counter
from pathlib import Path

import pytest

from dgpin.api import bind, compare
from dgpin.api.bind_findings import Impact, impact
from dgpin.api.host.scan import scan
from dgpin.api.surface import Binding
from dgpin.api.uses import Scan
from tests.api import every_use, surfaces

_MARK = re.compile(r"#> (.*)$")
Lines = dict[int, list[str]]


def marked() -> tuple[Lines, Lines]:
    """Return the form, and the answer, of each use that the host's comments tell, by line."""
    forms: Lines = {}
    answers: Lines = {}
    for number, line in enumerate(every_use.MAIN.splitlines(), start=1):
        match = _MARK.search(line)
        for mark in match[1].split("; ") if match else ():
            form, _, answer = mark.partition(" ")
            forms.setdefault(number, []).append(form)
            if answer != "ok":
                answers.setdefault(number, []).append(answer)
    return forms, answers


def scanned(folder: Path) -> Scan:
    """Return the uses of the host."""
    (folder / "main.py").write_text(every_use.MAIN)
    return scan(folder)


def test_every_form_is_found(tmp_path: Path) -> None:
    """Each marked line is a use of the form it says, and no other line is one."""
    expected = {line: Counter(forms) for line, forms in marked()[0].items()}

    found: dict[int, set[tuple[str, str, str]]] = {}
    for use in scanned(tmp_path).uses:
        found.setdefault(use.place.line, set()).add((use.form.value, use.path, use.parameter))
    actual = {line: Counter(form for form, _, _ in uses) for line, uses in found.items()}

    assert expected == actual


def answered(binding: Binding) -> Lines:
    """Return the answers that the host's comments tell for a binding, by line."""
    raised = bind.RAISED[binding]
    return {
        line: sorted(
            re.sub(r"TypeError$", raised, a).replace("TypeError!", "TypeError") for a in answers
        )
        for line, answers in marked()[1].items()
    }


def judged(found: Impact) -> Lines:
    """Return the answers that were found, by line."""
    actual: Lines = {}
    for finding in found.findings:
        exception = f":{finding.exception}" if finding.exception else ""
        answer = f"{finding.consequence.value}{exception}"
        actual.setdefault(finding.use.place.line, []).append(answer)
    return {line: sorted(answers) for line, answers in actual.items()}


@pytest.mark.parametrize("binding", list(Binding))
def test_every_use_is_judged(tmp_path: Path, binding: Binding) -> None:
    """Each line gets the answer that it says, and the other lines get none."""
    a, b = surfaces.moved(binding)

    actual = judged(impact(scanned(tmp_path), compare.compare(a, b)))

    assert answered(binding) == actual


def test_a_question_for_the_version_is_a_doubt(tmp_path: Path) -> None:
    """What is reached in some versions only is neither fine nor a break."""
    number = 1 + every_use.MAIN.splitlines().index(
        "        dg.lost_keyword(x, fast=True)  #> call ok"
    )

    found = impact(scanned(tmp_path), compare.compare(*surfaces.moved(Binding.PYBIND11)))

    assert [number] == [doubt.use.place.line for doubt in found.doubts]


def test_there_are_enough_kinds() -> None:
    """The host has at least forty kinds of use."""
    assert sum(map(len, marked()[0].values())) >= 100
