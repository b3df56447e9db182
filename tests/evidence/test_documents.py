"""The evidence that these tests make is of the form that the commands write."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import dgpin
from tests.evidence import documents
from tests.evidence.documents import check, pin_check, smoke

SCHEMAS = Path(dgpin.__file__).parent / "render/schemas"


@pytest.mark.parametrize(
    "document",
    [
        smoke("sm_90", check("gemm"), check("mixed0", "fail", number="nan")),
        smoke("sm_90"),
        pin_check("ab" * 20, verdict="fail"),
        pin_check(None),
        documents.diff_api(host=True),
        documents.lint("error", "note"),
        documents.build("pass"),
        documents.carry(),
        documents.carry(lost=False),
        documents.bump("ab" * 20),
        documents.bump("ab" * 20, lost=True),
        documents.verify(unproved=("sm_90",), carry=documents.carry(), smoke=None),
    ],
)
def test_follows_the_schema(document: dict[str, Any]) -> None:
    """It follows the schema of its command."""
    name = document["schema"].split("/")[1]
    jsonschema.validate(document, json.loads((SCHEMAS / f"{name}.json").read_text()))
