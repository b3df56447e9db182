"""One shell for one page, as its reader has it."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from dgpin import process
from tests.docs.blocks import Block, Command

HOME = "/home/you"  # what the pages say for the reader's home
_MARK = "\x01"
# What two runs never share: times.
_VARIES = (re.compile(r"\d+\.\d s\b"),)


def run(
    blocks: Sequence[Block],
    *,
    cwd: Path,
    env: Mapping[str, str],
    shown: Mapping[str, str] | None = None,
    limit: float = 120,
) -> None:
    """Type every command of a page into one shell, and compare what is claimed.

    `shown` says what stands on the page for what is printed; the home is among it.

    Raises:
        AssertionError: a command printed or ended otherwise than its page says.
    """
    commands = [command for block in blocks for command in block.commands]
    script = "exec 2>&1\n" + "".join(map(_typed, commands))
    done = process.run(["bash", "-c", script], cwd=cwd, env=env, stdin=b"", timeout=limit)
    answers = done.stdout.decode().split(_MARK)
    names = {**(shown or {}), env["HOME"]: HOME}
    left = list(zip(answers[::2], answers[1::2], strict=False))
    for block in blocks:
        for command in block.commands:
            assert left, f"{block.page}:{block.line}: the shell ended before `{command.text}`"
            printed, code = left.pop(0)
            for real, name in names.items():
                printed = printed.replace(real, name)
            _compare(block, command, printed, int(code))


def _typed(command: Command) -> str:
    # The last command's code stays there for an `echo $?`.
    return f"{command.text}\n_code=$?; printf '{_MARK}%s{_MARK}' $_code; (exit $_code)\n"


def _compare(block: Block, command: Command, printed: str, code: int) -> None:
    where = f"{block.page}:{block.line}: $ {command.text}"
    if command.shown is not None:
        claimed, real = "\n".join(command.shown), printed.rstrip("\n")
        assert re.fullmatch(_pattern(claimed), _even(real)), f"{where}\n{claimed}\n-- but:\n{real}"
    expected = _expected(block, command)
    assert expected in {code, None}, f"{where}\nended with {code}, not {expected}:\n{printed}"


def _expected(block: Block, command: Command) -> int | None:
    """Return the code that a command must end with; None where the page itself asks for it."""
    place = block.commands.index(command)
    if command is block.commands[-1]:
        return block.exit
    return None if block.commands[place + 1].text == "echo $?" else 0


def _pattern(claimed: str) -> str:
    """Return what matches the claimed text, in which a line `…` is any lines."""
    lines = [
        "(?:.*\n)*?" if line.strip() == "…" else re.escape(_even(line)) + "\n"
        for line in claimed.split("\n")
    ]
    text = "".join(lines)
    return text.removesuffix("\n") if text.endswith("\n") else text + ".*"


def _even(text: str) -> str:
    """Return the text with what varies made the same, and without space at the ends of lines."""
    for pattern in _VARIES:
        text = pattern.sub("0.0 s", text)
    return "\n".join(line.rstrip() for line in text.split("\n"))
