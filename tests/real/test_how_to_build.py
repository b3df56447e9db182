"""The how-to about building, command by command, with a DeepGEMM that compiles in a second."""

from pathlib import Path

from tests.docs.places import Workshop
from tests.long.test_pages import SLOW, follow


def test_every_command_does_what_the_page_says(tmp_path: Path) -> None:
    """Each command prints what is shown, and ends as is said."""
    follow(SLOW, Workshop(tmp_path / "shop"), tmp_path)
