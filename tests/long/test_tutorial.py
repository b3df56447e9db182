"""The tutorial is true, line by line."""

from pathlib import Path

from tests.docs import shell
from tests.docs.blocks import ROOT, read
from tests.docs.places import environment


def test_every_line_of_the_tutorial(tmp_path: Path) -> None:
    """From an empty home, each command prints and ends as the page shows."""
    blocks = [block for block in read("docs/tutorial/first-bump.md") if block.left_out is None]

    shell.run(blocks, cwd=ROOT, env=environment(tmp_path / "you"))
