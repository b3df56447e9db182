"""The user's cache: whose it is, what is in it, and what happens where it cannot be used."""

import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from dgpin import cache
from dgpin.api import wheels
from dgpin.cache import CacheError
from dgpin.source import address, store


@pytest.fixture(name="home")
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "cache"
    monkeypatch.setenv("DGPIN_CACHE_DIR", str(home))
    return home


@pytest.fixture(name="wheel")
def _wheel(tmp_path: Path) -> Path:
    path = tmp_path / "a.whl"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("deep_gemm/__init__.py", "x = 1\n")
    return path


def test_another_users_cache_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is run from there could be another user's."""
    home.mkdir()
    monkeypatch.setattr(os, "getuid", lambda: home.stat().st_uid + 1)

    with pytest.raises(CacheError, match="belongs to another user"):
        cache.directory("unpacked")


@pytest.mark.parametrize("name", ["unpacked", "smoke/wheels", "sources"])
def test_a_link_in_the_cache_is_refused(home: Path, tmp_path: Path, name: str) -> None:
    """Nothing is unpacked through a link."""
    aim = tmp_path / "aim"
    aim.mkdir()
    (home / name).parent.mkdir(parents=True)
    (home / name).symlink_to(aim)

    with pytest.raises(CacheError, match="it is a link"):
        cache.directory(name)
    assert [] == list(aim.iterdir())


def _as_link(path: Path) -> None:
    aim = path.with_name("aim.json")
    path.rename(aim)
    path.symlink_to(aim)


def _as_nested(path: Path) -> None:
    path.write_text("[" * 100_000)


def _as_cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-3])


@pytest.mark.parametrize("damage", [_as_link, _as_nested, _as_cut])
def test_a_damaged_entry_is_absent(home: Path, damage: Callable[[Path], None]) -> None:
    """An entry that is a link, or no JSON, or too much of it, counts as none."""
    cache.write_json("a/b.json", {"x": [1, 2]})
    assert {"x": [1, 2]} == cache.read_json("a/b.json")
    damage(home / "a/b.json")

    assert cache.read_json("a/b.json") is None


def test_another_users_entry_is_absent(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So does an entry of another user."""
    cache.write_json("a.json", 1)
    monkeypatch.setattr(os, "getuid", lambda: home.stat().st_uid + 1)

    assert cache.read_json("a.json") is None


def test_an_entry_that_cannot_be_kept_is_no_failure(home: Path) -> None:
    """A cache that takes nothing, as one in a read-only home, costs time and nothing else."""
    home.write_text("no directory")

    cache.write_json("a.json", 1)

    assert cache.read_json("a.json") is None


def test_a_place_that_cannot_be_made_is_said(home: Path) -> None:
    """What must be unpacked somewhere is refused with the cure, and exit 3."""
    home.write_text("no directory")

    with pytest.raises(CacheError, match="cannot be used") as raised:
        cache.directory("unpacked")
    assert "DGPIN_CACHE_DIR" in raised.value.hint
    assert 3 == raised.value.exit_code


def test_an_unpacked_wheel_that_was_changed_is_unpacked_anew(home: Path, wheel: Path) -> None:
    """What lies in the cache is used only while it is what the wheel holds."""
    found = wheels.local(wheel, label="a")
    (found.package / "__init__.py").write_text("x = 2\n")

    again = wheels.local(wheel, label="a")

    assert home in again.root.parents
    assert "x = 1\n" == (again.package / "__init__.py").read_text()


def test_a_link_to_an_unpacked_wheel_is_not_followed(
    home: Path, wheel: Path, tmp_path: Path
) -> None:
    """An entry that is a link is replaced by what the wheel holds."""
    found = wheels.local(wheel, label="a")
    aim = tmp_path / "aim"
    found.root.rename(aim)
    found.root.symlink_to(aim)

    again = wheels.local(wheel, label="a")

    assert home in again.root.parents
    assert not again.root.is_symlink()


def test_a_mirror_that_is_a_link_is_refused(tmp_path: Path, home: Path) -> None:
    """A mirror's configuration could run programs, so it must be this user's own."""
    place = store.place(address.parse("https://example.org/a/b"))
    place.parent.mkdir(parents=True)
    (tmp_path / "aim").mkdir()
    place.symlink_to(tmp_path / "aim")

    with pytest.raises(CacheError, match="it is a link"):
        store.stamp(place)
    assert home in place.parents


class _FullDisk:
    """Stands for a disk on which nothing has room."""

    def __call__(self, *_words: object, **_more: object) -> None:
        raise OSError(28, "No space left on device")


def test_a_full_disk_is_said_as_one(
    home: Path, wheel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wheel that the cache has no room for is not called damaged, and leaves nothing behind."""
    monkeypatch.setattr(shutil, "copyfileobj", _FullDisk())

    with pytest.raises(CacheError, match="No space left on device"):
        wheels.local(wheel, label="a")
    assert [] == list((home / "unpacked").iterdir())
