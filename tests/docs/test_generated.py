"""The pages that follow from the code are as the code is."""

import importlib.util
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_reference_of_commands_is_fresh() -> None:
    """`make docs` would write what is there."""
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)

    assert (DOCS / "reference/commands.md").read_text() == generate.commands()
