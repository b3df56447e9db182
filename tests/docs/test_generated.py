"""The pages that follow from the code are as the code is."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS))
import pictures  # noqa: E402 - docs/ holds programs, and is no package


@pytest.fixture(name="taken", scope="module")
def _taken() -> list[tuple[pictures.Picture, str]]:
    return list(pictures.taken())


def test_the_reference_of_commands_is_fresh() -> None:
    """`make docs` would write what is there."""
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)

    assert (DOCS / "reference/commands.md").read_text() == generate.commands()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_pictures_show_what_the_commands_print(
    theme: str, taken: list[tuple[pictures.Picture, str]]
) -> None:
    """Word by word; how rich places and paints them is rich's."""
    for picture, printed in taken:
        svg = pictures.drawn(picture, printed, pictures.THEMES[theme])
        kept = (DOCS / f"images/{picture.name}-{theme}.svg").read_text("utf-8")

        assert pictures.words(kept) == pictures.words(svg)
        assert len(pictures.words(kept)) > 100


def test_the_readme_shows_every_picture() -> None:
    """Each has its place, for light and for dark pages, and is not left behind."""
    readme = (DOCS.parent / "README.md").read_text("utf-8")

    assert {path.name for path in (DOCS / "images").glob("*.svg")} >= set(
        re.findall(r"docs/images/([\w-]+\.svg)", readme)
    )
    for picture in pictures.PICTURES:
        for theme in pictures.THEMES:
            assert f"docs/images/{picture.name}-{theme}.svg" in readme


def test_the_readme_counts_as_the_measured_table_does() -> None:
    """What each tool found, summed over the kinds of pair on the page about performance."""
    page = (DOCS / "reference/performance.md").read_text("utf-8")
    readme = (DOCS.parent / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| [^|]+ \| (\d+) noticed, \d+ quiet \|(.*)\|$", page, re.MULTILINE)
    answers = [[cell.strip() for cell in cells.split("|")] for _, cells in rows]
    found, false, asked = [], [], []
    for column in zip(*answers, strict=True):
        known = [re.fullmatch(r"(\d+) found, (\d+) false", cell) for cell in column]
        pairs = [(match, int(row[0])) for match, row in zip(known, rows, strict=True) if match]
        found.append(sum(int(match[1]) for match, _ in pairs))
        false.append(sum(int(match[2]) for match, _ in pairs))
        asked.append(sum(number for _, number in pairs))
    total = sum(int(number) for number, _ in rows)
    shown = [
        str(hit) if of == total else f"{hit} of {of}" for hit, of in zip(found, asked, strict=True)
    ]

    assert f"| found of {total} | {' | '.join(shown)} |" in readme
    assert f"| said of a change that is none | {' | '.join(map(str, false))} |" in readme
