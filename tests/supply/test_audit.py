"""An audit that looked nothing up is no pass in disguise."""

import json
from typing import Any

import pytest

from tests.supply.audit import judge

FAULT = {"id": "PYSEC-1", "fix_versions": ["2.1"]}
SOUND: dict[str, Any] = {"name": "one", "version": "1.0", "vulns": []}
FAULTY: dict[str, Any] = {"name": "two", "version": "2.0", "vulns": [FAULT]}
UNKNOWN: dict[str, Any] = {"name": "three", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("rows", "code", "said"),
    [
        ([SOUND], 0, "pip-audit: 1 packages, 0 known vulnerabilities"),
        ([SOUND, UNKNOWN], 0, "not known to its index: three"),
        ([SOUND, FAULTY], 1, "two 2.0: PYSEC-1, mended in 2.1"),
        ([UNKNOWN], 0, "not run: its index knows none of the 1 packages"),
    ],
)
def test_what_was_audited(rows: list[dict[str, Any]], code: int, said: str) -> None:
    """What is vulnerable fails, and what was not looked up is named."""
    audit = judge(json.dumps({"dependencies": rows}), "")

    assert code == audit.code
    assert said in "\n".join(audit.lines)


def test_index_that_cannot_be_reached() -> None:
    """Without an index the answer is `not run`, with the reason that pip-audit gave."""
    audit = judge("", "first\nERROR: cannot connect")

    assert ("pip-audit: not run: ERROR: cannot connect",) == audit.lines
