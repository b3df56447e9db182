"""An answer of carry is kept, and found again only for the same contents."""

from pathlib import Path

import pytest

from dgpin import cache
from dgpin.source import carry, kept, sides
from dgpin.source.losses import Carried

GUARDED = "void f(int n) {\n    if (n <= 0 or n >= limit)\n        return;\n    use(n);\n}\n"
PLAIN = "void f(int n) {\n    use(n);\n}\n"


@pytest.fixture(name="trees")
def _trees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """An old source with a guard and a new one without, and an empty cache."""
    monkeypatch.setenv("DGPIN_CACHE_DIR", str(tmp_path / "cache"))
    for name, text in (("old", GUARDED), ("new", PLAIN)):
        (tmp_path / name / "csrc").mkdir(parents=True)
        (tmp_path / name / "csrc/f.cpp").write_text(text)
    return tmp_path / "old", tmp_path / "new"


def _ask(trees: tuple[Path, Path], *, upstream: Path | None = None) -> Carried:
    old, new = map(sides.of_directory, trees)
    base = sides.of_directory(upstream) if upstream is not None else None
    return kept.carried(old, new, upstream=base, accepted={})


def test_the_same_contents(trees: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """The second answer is the first, and nothing was compared."""
    first = _ask(trees)
    monkeypatch.setattr(carry, "carry", lambda *_, **__: pytest.fail("compared again"))

    again = _ask(trees)

    assert ["csrc/f.cpp"] == sorted({loss.first.here.path for loss in first.losses})
    assert (False, True) == (first.reused, again.reused)
    assert first.losses == again.losses


@pytest.mark.parametrize("change", ["old", "new", "upstream", "name", "version", "damage"])
def test_whatever_changes(
    trees: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """Each input leads to a comparison of its own, and so does an entry that cannot be read."""
    _ask(trees)
    upstream = None
    if change in {"old", "new"}:
        file = tmp_path / change / "csrc/f.cpp"
        file.write_text(file.read_text().replace("use(n)", "use(n + 1)"))
    elif change == "upstream":
        upstream = trees[1]
    elif change == "name":
        (tmp_path / "new/csrc/f.cpp").rename(tmp_path / "new/csrc/g.cpp")
    elif change == "version":
        monkeypatch.setattr(kept, "_version", lambda: "another")
    else:
        (entry,) = (cache.root() / "carry").iterdir()
        entry.write_text('{"losses": []}')

    assert not _ask(trees, upstream=upstream).reused


def test_names_and_reasons_are_the_caller_s(trees: tuple[Path, Path], tmp_path: Path) -> None:
    """They are not kept: the same contents elsewhere are named as they are asked for."""
    loss = _ask(trees).losses[0]
    (tmp_path / "moved").mkdir()
    trees[1].rename(tmp_path / "moved/new")

    old, new = sides.of_directory(trees[0]), sides.of_directory(tmp_path / "moved/new")
    found = kept.carried(old, new, accepted={loss.id: "checked by the caller"})

    assert found.reused
    assert str(tmp_path / "moved/new") == found.new
    assert "checked by the caller" == found.losses[0].accepted
