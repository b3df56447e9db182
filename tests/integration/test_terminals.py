r"""What each kind of terminal gets, kept as it is in `terminals/`, with escapes as `\e`.

`DGPIN_KEEP=1 pytest tests/integration/test_terminals.py` keeps what is printed now.
"""

import os
import re
import sys
from pathlib import Path

import pytest

from tests.integration.terminals import written
from tests.world import World

KEPT = Path(__file__).parent / "terminals"
DGPIN = str(Path(sys.executable).with_name("dgpin"))
CHECK = ("check",)
VERIFY = ("verify", "--skip", "diff-api,lint,carry,build,smoke")
BUMP = ("bump", "dev", "-n", "--accept-loss", "deep_gemm.fp8_m_grouped_gemm_nt_masked")
# Bold, dim, italic, underlined, and the sixteen colours that are the terminal's own to choose.
THEMED = re.compile(r"[0-4]|3[0-7]|9[0-7]|39")


def printed(
    world: World, *words: str, columns: int | None, env: dict[str, str] | None = None
) -> str:
    """Return what a command prints, with what differs from run to run named."""
    clean = {
        name: value
        for name, value in os.environ.items()
        if name not in {"CI", "GITHUB_ACTIONS", "COLUMNS", "COLORTERM", "COLORFGBG"}
    }
    whole = clean | {"TERM": "xterm-256color"} | (env or {})
    _, text = written([DGPIN, *words], cwd=world.host, env=whole, columns=columns)
    text = text.replace(world.example.url, "URL").replace("\x1b", "\\e")
    return re.sub(r"\d+\.\d s\b", "N s", text)


def is_kept(name: str, text: str) -> bool:
    """Compare with what is kept; keep it first where that was asked for."""
    path = KEPT / f"{name}.txt"
    if os.environ.get("DGPIN_KEEP"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    with path.open(encoding="utf-8", newline="") as file:
        assert file.read() == text
    return True


CASES = {
    "pipe": (CHECK, None, {}),
    "ci": (CHECK, None, {"CI": "true", "GITHUB_ACTIONS": "true"}),
    "terminal": (CHECK, 100, {}),
    "narrow": (CHECK, 40, {}),
    "narrow-verify": (VERIFY, 40, {}),
    "no-color": (CHECK, 100, {"NO_COLOR": "1"}),
    "force-color": (CHECK, None, {"FORCE_COLOR": "1"}),
    "dumb": (CHECK, 100, {"TERM": "dumb"}),
}


@pytest.mark.parametrize("name", CASES)
def test_each_terminal_gets_what_is_kept(world: World, name: str) -> None:
    """The whole output, colours included, is as it was when somebody last looked at it."""
    words, columns, env = CASES[name]
    world.dgpin("check", "--remote")

    assert is_kept(name, printed(world, *words, columns=columns, env=env))


@pytest.mark.parametrize("name", ["pipe", "ci", "no-color", "dumb"])
def test_where_no_colour_is_wanted_there_is_none(name: str) -> None:
    """A log, NO_COLOR and a dumb terminal get text alone, and all of them the same."""
    text = (KEPT / f"{name}.txt").read_text("utf-8")

    assert "\\e" not in text
    assert (KEPT / "pipe.txt").read_text("utf-8") == text


def test_colour_changes_no_text() -> None:
    """Without its escapes, what a terminal shows is what a pipe gets."""
    coloured = (KEPT / "force-color.txt").read_text("utf-8")

    assert "\\e[" in coloured
    assert (KEPT / "pipe.txt").read_text("utf-8") == re.sub(r"\\e\[[\d;]*m", "", coloured)


@pytest.mark.parametrize("background", ["0;15", "15;0"])
def test_light_and_dark_terminals_get_their_own_colours(world: World, background: str) -> None:
    """Only colours of the terminal's theme are used, whatever its background is."""
    text = printed(world, *BUMP, columns=100, env={"COLORFGBG": background})
    codes = {code for codes in re.findall(r"\\e\[([\d;]*)m", text) for code in codes.split(";")}

    assert codes
    assert set() == {code for code in codes if not THEMED.fullmatch(code)}
    assert is_kept("light-and-dark", text)


def test_a_host_with_windows_line_ends(world: World) -> None:
    """The diff of a host with CRLF keeps each line's end, and shows nothing but the values."""
    for path in ("cmake/external_projects/deepgemm.cmake", "tools/install_deepgemm.sh"):
        data = (world.host / path).read_bytes()
        (world.host / path).write_bytes(data.replace(b"\n", b"\r\n"))

    text = printed(world, *BUMP, "--dirty", "-o", "diff", columns=None)

    assert is_kept("crlf", text)
    changed = re.findall(r"^([+-](?![+-]{2}).*)$", text, re.MULTILINE)
    assert sum(line.startswith("+") for line in changed) > 0
