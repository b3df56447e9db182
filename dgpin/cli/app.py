"""The command line: one module a command, loaded only when it is asked for."""

import contextlib
import gc
import io
import os
import sys
from collections.abc import Collection, Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TextIO

import typer

from dgpin import __version__
from dgpin.cli.output import let_go_of_stdout
from dgpin.cli.plain import take_plainly
from dgpin.errors import DgpinError, UnavailableError
from dgpin.render.hidden import hide


class Command(NamedTuple):
    """A command's module (in this package, with a function of the same name) and its line in
    `--help`."""

    module: str
    summary: str


COMMANDS = {
    "bump": Command("bump", "Move the pin: rewrite every site to REF, all or none."),
    "check": Command("check", "Do the sites agree, and do they fit the source they pin?"),
    "show": Command("show", "Which DeepGEMM is this? Pin, sites, distance."),
    "diff-api": Command("diff_api", "What does a move from A to B break?"),
    "lint": Command("lint", "What is fragile at the host's boundary to the pinned API?"),
    "explain": Command("explain", "What does a rule mean?"),
    "init": Command("init", "Write the preset that fits this host to dgpin.toml."),
    "build": Command("build", "Compile `_C`, after saying everything that is missing."),
    "carry": Command("carry", "Which fixes of OLD did not survive into NEW?"),
    "smoke": Command("smoke", "Is this build sound on this GPU?"),
    "verify": Command("verify", "All of the above that this machine can do, one verdict."),
    "ci": Command("ci", "Write the pipeline that runs smoke on each architecture."),
    "report": Command("report", "Join evidence from several machines into one verdict."),
}

INTERNAL_FAULT = 70
INTERRUPTED = 130


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dgpin {__version__}")
        raise typer.Exit


def _root(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Move, prove and guard the DeepGEMM pin of a project."""


def build(loaded: Collection[str]) -> typer.Typer:
    """Return the application; only the modules of the named commands are imported.

    The others have their line in `--help`, which is all that a run for another command shows.
    """
    app = typer.Typer(
        name="dgpin",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for name, command in COMMANDS.items():
        if name in loaded:
            module = import_module(f"dgpin.cli.{command.module}")
            app.command(name, short_help=command.summary)(getattr(module, command.module))
        else:
            app.command(name, short_help=command.summary)(_listed)
    return app


def _listed() -> None:
    """Stand for a command that is only listed."""


def _wanted(words: Sequence[str]) -> Collection[str]:
    """Return the command that a line is about; completion asks with the line so far."""
    line = os.environ.get("_DGPIN_COMPLETE_ARGS") or os.environ.get("COMP_WORDS", "")
    named = [*words[:1], *line.split()]
    return {word for word in named if word in COMMANDS}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    take_plainly()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A diff may hold bytes that are not UTF-8; they leave as they came, and the rest as UTF-8:
        # in another encoding it would fit no file, and `→` would be a fault. A stream whose file
        # was changed beneath it, as a fork does for its child, cannot be asked for its place.
        with contextlib.suppress(OSError):
            sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    try:
        code = build(_wanted(words))(words, standalone_mode=False, prog_name="dgpin")
        sys.stdout.flush()
    except DgpinError as error:
        return _fail(error.message, hint=error.hint, code=error.exit_code)
    except OSError as error:
        # Standard output on a full disk, say: the reader has not got the result.
        let_go_of_stdout()
        return _fail(f"the system refused: {error}", hint="", code=UnavailableError.exit_code)
    except SystemExit as end:
        code = _ended(words) if end.code else 0
    except (KeyboardInterrupt, typer.Abort):
        return _fail("interrupted", hint="", code=INTERRUPTED)
    except Exception as error:  # noqa: BLE001 - the one place where nothing may pass
        return _unexpected(error)
    return code if isinstance(code, int) else 0


def _ended(words: Sequence[str]) -> int:
    """Return the code where typer, or rich, ended by itself since a pipe broke.

    They end with 1, which means findings; with 0, when a completion was answered.
    """
    if not words or not {"-h", "--help"}.isdisjoint(words):
        let_go_of_stdout()  # whoever reads the help may have read enough
        return 0
    # Results are seen to where they are written, so it was another pipe.
    gone = "a program that was asked went away"
    return _fail(gone, hint="", code=UnavailableError.exit_code)


def _unexpected(error: Exception) -> int:
    usage: Any = error
    # typer brings its own click, so its usage errors have no class that can be named here.
    if callable(getattr(usage, "format_message", None)) and hasattr(usage, "exit_code"):
        if message := usage.format_message():
            about = getattr(getattr(usage, "ctx", None), "command_path", "dgpin")
            message = message.replace("Value error, ", "")  # pydantic's way to begin
            return _fail(message, hint=f"See `{about} --help`.", code=int(usage.exit_code))
        return int(usage.exit_code)  # no arguments at all: the help text has been printed
    if os.environ.get("DGPIN_DEBUG"):
        raise error
    what = f"{type(error).__name__}: {error}"
    return _fail(
        f"a fault of dgpin's own: {what}",
        hint="Run the same command with DGPIN_DEBUG=1 and report what it prints.",
        code=INTERNAL_FAULT,
    )


def _fail(message: str, *, hint: str, code: int) -> int:
    # Where even that cannot be said, the exit code still tells.
    with contextlib.suppress(OSError):
        sys.stderr.write(hide(f"dgpin: {message}\n" + (f"  {hint}\n" if hint else "")))
        sys.stderr.flush()
    return code


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def run() -> None:
    """Enter from the shell."""
    # Most objects of a run stay until its end, when all memory is given back at once: to look
    # through them for circles, now and then and at the end, takes a quarter of its time.
    gc.disable()
    # A shell or a daemon may have closed them: `dgpin check >&-` asks for the exit code alone.
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    code = main()
    gc.freeze()
    sys.exit(code)
