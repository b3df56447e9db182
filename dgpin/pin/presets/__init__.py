"""The presets: one TOML file for each host, and for each era of a host."""

from collections.abc import Iterator
from pathlib import Path

_DIRECTORY = Path(__file__).parent


def texts(*, generic: bool = False) -> Iterator[tuple[str, str]]:
    """Yield the text and the name of each preset; the generic ones fit more than one project."""
    for path in sorted(_DIRECTORY.glob("*.toml")):
        if path.stem.startswith("any-") == generic:
            yield path.read_text(encoding="utf-8"), path.stem


def text(name: str) -> str:
    """Return a preset's text by its name."""
    return (_DIRECTORY / f"{name}.toml").read_text(encoding="utf-8")
