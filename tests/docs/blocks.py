"""Command blocks of the pages: what is typed, what is shown for it, and where it can be run.

A fence of `console` holds lines that begin with `$ ` (and `> ` where one goes on), each followed by
what it prints; a line `…` stands for any lines. A fence of `bash` is one script and shows nothing.
A comment above the fence says what is special:

    <!-- run: exit=1 -->         how the last command ends; 0 otherwise
    <!-- run: not=gpu -->        not run in the quick tests, for one of the reasons below
"""

import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHELLS = ("console", "bash")
_DIRECTIVE = re.compile(r"<!-- run: (exit|not)=([\w-]+) -->")
_FENCE = re.compile(r"( *)```(\S*)")


class Reason(Enum):
    """Why a block is not run with the others."""

    NETWORK = "network"  # it installs from a package index
    SYSTEM = "system"  # it needs this one distribution's package manager
    GPU = "gpu"  # it runs kernels
    CLUSTER = "cluster"  # it hands jobs to an agent or a scheduler
    CHECKOUT = "checkout"  # it runs this repository's own tests


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What is typed, and the lines that are shown for it; None where nothing is claimed."""

    text: str
    shown: tuple[str, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One fence."""

    page: str
    line: int
    commands: tuple[Command, ...]
    exit: int = 0
    left_out: Reason | None = None


def read(page: str) -> tuple[Block, ...]:
    """Return the command blocks of a page, which is named by its path from the root."""
    return parse(page, (ROOT / page).read_text("utf-8"))


def parse(page: str, text: str) -> tuple[Block, ...]:
    """Return the command blocks of a text."""
    lines = text.splitlines()
    blocks: list[Block] = []
    at = 0
    while at < len(lines):
        fence = _FENCE.fullmatch(lines[at])
        if fence is None:
            at += 1
            continue
        indent, language = len(fence[1]), fence[2]
        end = lines.index(f"{fence[1]}```", at + 1)
        if language in SHELLS:
            body = [line[indent:] for line in lines[at + 1 : end]]
            blocks.append(_block(page, at + 1, language, body, lines[at - 1] if at else ""))
        at = end + 1
    return tuple(blocks)


def _block(page: str, line: int, language: str, body: list[str], above: str) -> Block:
    if language == "bash":
        commands: tuple[Command, ...] = (Command(text="\n".join(body), shown=None),)
    else:
        commands = tuple(_commands(body))
    found = _DIRECTIVE.fullmatch(above.strip())
    said = {found[1]: found[2]} if found else {}
    return Block(
        page=page,
        line=line,
        commands=commands,
        exit=int(said.get("exit", 0)),
        left_out=Reason(said["not"]) if "not" in said else None,
    )


def _commands(body: list[str]) -> list[Command]:
    made: list[tuple[list[str], list[str]]] = []
    for line in body:
        if line.startswith("$ "):
            made.append(([line[2:]], []))
        elif line.startswith("> ") and not made[-1][1]:
            made[-1][0].append(line[2:])
        else:
            made[-1][1].append(line)
    quiet = not any(shown for _, shown in made)
    return [
        # A block without any output is a list of things to type; it claims nothing.
        Command(text="\n".join(typed), shown=None if quiet else tuple(shown))
        for typed, shown in made
    ]
