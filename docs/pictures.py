"""Pictures of a terminal, taken of real runs on the example: `python -m docs.pictures`."""

import html
import io
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import DEFAULT_TERMINAL_THEME, DIMMED_MONOKAI, TerminalTheme
from rich.text import Text

from dgpin import process
from tests.example import make_deepgemm, make_host

IMAGES = Path(__file__).parent / "images"
WIDTH = 118
THEMES: dict[str, TerminalTheme] = {"light": DEFAULT_TERMINAL_THEME, "dark": DIMMED_MONOKAI}
# A page loads nothing from elsewhere, so the letters are those of the reader's machine.
_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A command, how it ends, and how many of its lines are shown."""

    name: str
    words: tuple[str, ...]
    code: int
    lines: int


PICTURES = (
    Picture(
        name="bump",
        words=("bump", "dev", "--accept-loss", "deep_gemm.fp8_m_grouped_gemm_nt_masked"),
        code=0,
        lines=44,
    ),
    Picture(name="diff-api", words=("diff-api", "nv_dev", "dev"), code=1, lines=30),
)


def taken() -> Iterator[tuple[Picture, str]]:
    """Run each command on a host of its own, and return what it prints, with its colours."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch).resolve()
        example = make_deepgemm(root / "example")
        env = os.environ | {"DGPIN_CACHE_DIR": str(root / "cache"), "FORCE_COLOR": "1"}
        env.pop("NO_COLOR", None)
        for picture in PICTURES:
            host = make_host(root / picture.name, example.url, example.commits["sm120"])
            argv = [sys.executable, "-m", "dgpin", *picture.words]
            done = process.run(argv, cwd=host, env=env)
            if done.returncode != picture.code:
                raise RuntimeError(f"{picture.name} ended with {done.returncode}:\n{done.tail}")
            yield picture, done.text.replace(str(root), "/home/you")


def drawn(picture: Picture, printed: str, theme: TerminalTheme) -> str:
    """Return the SVG of a command and the first lines that it printed."""
    lines = printed.splitlines()
    kept = lines[: picture.lines] + (["…"] if len(lines) > picture.lines else [])
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    command = " ".join(("dgpin", *picture.words))
    console.print(Text.assemble(("$ ", "dim"), (command, "bold")))
    for line in kept:
        console.print(Text.from_ansi(line))
    svg = console.export_svg(title="dgpin", theme=theme, unique_id=f"dgpin-{picture.name}")
    return _FONTS.sub("", svg)


def words(svg: str) -> list[str]:
    """Return the words of a picture, however they are placed and painted."""
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    return html.unescape(" ".join(texts)).replace("\xa0", " ").split()


def main() -> None:
    """Write every picture, for a light and for a dark page."""
    for picture, printed in taken():
        for name, theme in THEMES.items():
            path = IMAGES / f"{picture.name}-{name}.svg"
            path.write_text(drawn(picture, printed, theme), encoding="utf-8")


if __name__ == "__main__":
    main()
