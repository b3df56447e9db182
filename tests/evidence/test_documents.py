"""The evidence that these tests make is of the form that the commands write."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import dgpin
from tests.evidence.documents import check, pin_check, smoke

SCHEMAS = Path(dgpin.__file__).parent / "render/schemas"


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("smoke", smoke("sm_90", check("gemm"), check("mixed0", "fail", number="nan"))),
        ("smoke", smoke("sm_90")),
        ("check", pin_check("ab" * 20, verdict="fail")),
        ("check", pin_check(None)),
    ],
)
def test_follows_the_schema(name: str, document: dict[str, Any]) -> None:
    """It follows the schema of its command."""
    jsonschema.validate(document, json.loads((SCHEMAS / f"{name}.json").read_text()))
