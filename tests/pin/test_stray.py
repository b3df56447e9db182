"""Strays are the old pin where no site covers it; provenance is none."""

from collections.abc import Iterable, Iterator

import pytest

from dgpin.pin.stray import Kind, find_strays
from dgpin.verdict import Place
from tests.pin.hosts import NEW, OLD

SLUG = "deepseek-ai/DeepGEMM"


def kinds(line: str, *, covered: frozenset[Place] = frozenset()) -> list[Kind]:
    """Return what a search that finds one line makes of it."""

    def search(_texts: Iterable[str]) -> Iterator[tuple[str, int, str]]:
        yield "f", 3, line

    return [s.kind for s in find_strays(search, commit=OLD, slug=SLUG, covered=covered)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (f"pin {OLD}", [Kind.COMMIT]),
        (f"pin {OLD[:7]}.", [Kind.COMMIT]),
        (f"pin {OLD[:12]}", [Kind.COMMIT]),
        (f"pin {OLD[:7]}{NEW[:5]}", []),
        (f"pin f{OLD[:7]}", []),
        (f"git clone https://github.com/{SLUG}", [Kind.REPOSITORY]),
        (f"git clone https://github.com/{SLUG}.git", [Kind.REPOSITORY]),
        (f"git+https://github.com/{SLUG}.git@v2.1.1", [Kind.REPOSITORY]),
        (f"see https://github.com/{SLUG}/blob/dd6ed14/x.py", []),
        (f"see https://github.com/{SLUG}/pull/12", []),
        (f"see {SLUG}#12", []),
        (f"see https://github.com/{SLUG}/blob/{OLD}/x.py", [Kind.COMMIT]),
    ],
)
def test_a_stray_names_the_old_pin(line: str, expected: list[Kind]) -> None:
    """Seven digits of the old commit or its repository count; other permalinks do not."""
    assert expected == kinds(line)


def test_a_site_is_no_stray() -> None:
    """What a bump rewrites is covered."""
    assert kinds(f"pin {OLD}", covered=frozenset({Place("f", 3)})) == []
