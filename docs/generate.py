"""Write the pages that follow from the code: `python docs/generate.py`."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.main import get_command

from dgpin.cli import app

sys.path.insert(0, str(Path(__file__).parent))
import failures

DOCS = Path(__file__).parent
COMMANDS = DOCS / "reference/commands.md"
ERRORS = DOCS / "reference/errors.md"


def commands() -> str:
    """Return the reference of every command, from what typer knows of it."""
    group: Any = get_command(app.build(app.COMMANDS))
    parts = ["# Commands\n\nWritten by `make docs` from the commands themselves.\n"]
    parts += [_command(name, command) for name, command in group.commands.items()]
    return "\n".join(parts)


def _command(name: str, command: Any) -> str:  # noqa: ANN401 - typer brings its own click
    words = " ".join(
        _metavar(argument) if argument.required else f"[{_metavar(argument)}]"
        for argument in command.params
        if argument.param_type_name == "argument"
    )
    usage = f"dgpin {name} [OPTIONS] {words}".strip()
    table = "".join(f"| {names} | {text} |\n" for names, text in _rows(command))
    text = "\n".join(line.strip() for line in (command.help or "").strip().splitlines())
    return f"## `dgpin {name}`\n\n{text}\n\n    {usage}\n\n| option | |\n| --- | --- |\n{table}"


def _metavar(argument: Any) -> str:  # noqa: ANN401 - as above
    return str(argument.metavar or argument.name.upper())


def _rows(command: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - as above
    for parameter in command.params:
        is_argument = parameter.param_type_name == "argument"
        names = [_metavar(parameter)] if is_argument else list(parameter.opts)
        value = f" {parameter.metavar}" if parameter.metavar and not is_argument else ""
        shown = ", ".join(f"`{name}{value}`".replace("|", "\\|") for name in names)
        yield shown, str(parameter.help or "").replace("|", "\\|").replace("\n", " ")


def main() -> None:
    """Write every generated page."""
    COMMANDS.write_text(commands(), encoding="utf-8")
    ERRORS.write_text(failures.page(failures.read()[0]), encoding="utf-8")


if __name__ == "__main__":
    main()
