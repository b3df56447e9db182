"""The host: where it is, how its files are read, and which configuration fits it."""

import fnmatch
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from dgpin import config as configuration
from dgpin.config import Config
from dgpin.errors import UnavailableError, UsageError
from dgpin.pin import presets
from dgpin.pin.sites import Reading, decode, describe, is_remark, read_sites

_SKIPPED = {".git", ".deps", ".venv", "node_modules", "build", "dist", "proc", "sys"}
_DEEPEST = 3  # directories: a Dockerfile of a host does not lie deeper
_STATES_THE_PIN = ("commit", "wheel", "version")


class NoHostError(UsageError):
    """The host is no directory."""

    hint = "Name the top directory of the project that pins DeepGEMM."

    def __init__(self, root: Path) -> None:
        super().__init__(f"--host {root}: there is no such directory")


class GoneDirectoryError(UsageError):
    """The directory in which dgpin was started is no longer there."""

    hint = "Go to the host's directory, or name it with --host."

    def __init__(self) -> None:
        super().__init__("the current directory is gone")


class OutsideHostError(UsageError):
    """A site's path leads out of the host."""

    hint = "A site is a file of the host itself; name the file that the link leads to, or drop it."

    def __init__(self, path: str, target: Path) -> None:
        super().__init__(f"{path} leads out of the host, to {target}")


class UnreadableError(UnavailableError):
    """A file of the host cannot be read."""

    hint = "Run as a user who may read the host's files."

    def __init__(self, error: OSError) -> None:
        super().__init__(f"{error.filename}: {error.strerror}")


class NoPresetError(UsageError):
    """No preset fits the host, or two do that say different things."""

    hint = (
        "Write the sites into dgpin.toml: docs/how-to/pin-deepgemm.md shows how. "
        "Is this the top directory of the host? Otherwise give it with --host."
    )


class Host(NamedTuple):
    """A project that pins DeepGEMM."""

    root: Path

    def read(self, path: str) -> bytes | None:
        """Return a file's bytes, or None when there is no such file.

        Raises:
            OutsideHostError: the path leads out of the host.
            UnreadableError: the system does not let it be read.
        """
        full = self.root / path
        try:
            if not stat.S_ISREG(os.stat(full).st_mode):  # noqa: PTH116 - start-up: a tenth of Path's
                return None  # a pipe or a device would be read for ever
            real = os.path.realpath(full)
            top = os.path.realpath(self.root)
            if os.path.commonpath([real, top]) != top:
                raise OutsideHostError(path, Path(real))
            return full.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise UnreadableError(error) from error


class Fit(NamedTuple):
    """A configuration and what it found in the host.

    `near`: the configuration is the preset that comes closest; its missing entries are findings.
    """

    config: Config
    reading: Reading
    near: bool = False


def find_host(given: Path | None, *, start: Path | None = None) -> Host:
    """Return the host: the given directory, else the nearest `dgpin.toml` upward, else the top of
    the git work tree, else the current directory.

    Raises:
        NoHostError: the given directory is none.
        GoneDirectoryError: none is given, and the current one is gone.
    """
    if given is not None:
        if not given.is_dir():
            raise NoHostError(given)
        return Host(root=given.resolve())
    if start is None:
        try:
            start = Path.cwd()
        except FileNotFoundError:
            raise GoneDirectoryError from None
    for mark in (configuration.FILE, ".git"):
        for directory in (start, *start.parents):
            if os.path.lexists(directory / mark):
                return Host(root=directory)
    return Host(root=start)


def fit(host: Host, *, lenient: bool = False) -> Fit:
    """Return the host's configuration, or the preset whose sites are all there, with what it finds.

    With `lenient`, a host whose sites are nearly all there gets the preset that comes closest, so
    that `check` can say which one is missing.

    Raises:
        ConfigError: `dgpin.toml` cannot be used.
        NoPresetError: no preset fits, or two do that say different things.
        ConflictError: a site file holds conflict markers.
    """
    path = host.root / configuration.FILE
    if os.path.lexists(path):
        config = configuration.load(path)
        return Fit(config=config, reading=read_sites(config, host.read))
    for generic in (False, True):
        configs = tuple(_presets(host, generic=generic))
        # A preset that does not fit mostly fails at its first entry: no need to read on.
        read = [(config, read_sites(config, host.read, whole=False)) for config in configs]
        complete = [pair for pair in read if not pair[1].problems and _states_pin(pair[1])]
        if complete:
            return _largest(complete)
    tried = [
        (config, read_sites(config, host.read))
        for generic in (False, True)
        for config in _presets(host, generic=generic)
    ]
    if lenient and (nearest := _nearest(tried)) is not None:
        return nearest
    raise NoPresetError(_explain(host, tried))


def _presets(host: Host, *, generic: bool) -> Iterator[Config]:
    for text, name in presets.texts(generic=generic):
        if (first := configuration.first_path(text)) and not (host.root / first).is_file():
            continue
        preset = _preset(text, name, host)
        if preset is not None:
            yield expand(preset, host)


def _preset(text: str, name: str, host: Host) -> Config | None:
    filled = _filled(text, host)
    return configuration.parse(filled, source=name, is_preset=True) if filled else None


def _filled(text: str, host: Host) -> str | None:
    """Return a preset's text with the host's own submodule in it, None when there is none."""
    if "{path}" not in text:
        return text
    submodule = find_submodule(host)
    if submodule is None:
        return None
    name, path = (value.replace("\\", "\\\\").replace('"', '\\"') for value in submodule)
    return text.replace("{name}", name).replace("{path}", path)


def written(fitting: Fit, host: Host, pin: Mapping[str, str]) -> str:
    """Return the text of `dgpin.toml` for a host that a preset fits, with values of [pin] set."""
    text = _filled(presets.text(fitting.config.source), host)
    # A pattern fits files that state nothing as well.
    paths = {site.entry.path for site in fitting.reading.sites(watch=False)}
    return configuration.rewritten(text or "", pin, paths=paths)


def find_submodule(host: Host) -> tuple[str, str] | None:
    """Return the name and the path of the host's submodule that is DeepGEMM, if it has one.

    The name is as it stands in the file, where a quote or a backslash follows a backslash.
    """
    data = host.read(".gitmodules")
    for section in decode(data or b"").split("[submodule ")[1:]:
        name = re.match(r'"((?:\\.|[^"\\\n])+)"', section)
        path = re.search(r"^[ \t]*path[ \t]*=[ \t]*([^\r\n]*[^\s])", section, re.MULTILINE)
        url = re.search(
            r"^[ \t]*url[ \t]*=[ \t]*\S*/DeepGEMM(?:\.git)?/?[ \t\r]*$", section, re.MULTILINE
        )
        if name and path and url:
            return name[1], _unquoted(path[1])
    return None


def _unquoted(value: str) -> str:
    """Return what a value of git's configuration says: it may be in quotes, with backslashes."""
    bare = value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value
    return re.sub(r'\\(["\\])', r"\1", bare)


def _states_pin(reading: Reading) -> bool:
    if reading.config.gitlink:
        return True
    sites = reading.sites(*_STATES_THE_PIN, watch=False)
    return any(not is_remark(reading.texts[site.entry.path], site.hole.start) for site in sites)


def expand(config: Config, host: Host) -> Config:
    """Return the configuration with each path that is a pattern replaced by the files it fits."""
    if not any("*" in entry.path for entry in config.entries):
        return config
    entries: list[configuration.Entry] = []
    for entry in config.entries:
        if "*" not in entry.path:
            entries.append(entry)
            continue
        paths = sorted(_matching(host.root, entry.path))
        entries += [entry._replace(path=path, optional=True) for path in paths]
    return config._replace(entries=tuple(entries))


def _matching(root: Path, pattern: str) -> Iterator[str]:
    """Yield the files that a pattern `**/NAME` fits, down to a few directories below the host."""
    name = pattern.rsplit("/", 1)[-1]
    for directory, children, files in os.walk(root):
        relative = Path(directory).relative_to(root)
        is_deep = len(relative.parts) >= _DEEPEST
        children[:] = [] if is_deep else sorted(set(children) - _SKIPPED)
        for file in sorted(fnmatch.filter(files, name)):
            if (Path(directory) / file).is_file():
                yield (relative / file).as_posix()


def _spans(reading: Reading) -> set[tuple[str, int, int]]:
    return {
        (site.entry.path, site.hole.start, site.hole.end) for site in reading.sites(watch=False)
    }


def _largest(complete: list[tuple[Config, Reading]]) -> Fit:
    best = max(complete, key=lambda pair: len(_spans(pair[1])))
    for other in complete:
        if not _spans(other[1]) <= _spans(best[1]):
            names = " and ".join(config.source for config, _ in (best, other))
            raise NoPresetError(f"the presets {names} both fit this host and say different things")
    return Fit(config=best[0], reading=best[1])


def _nearest(tried: list[tuple[Config, Reading]]) -> Fit | None:
    """Return the preset of which the most is there, if it states the pin and lacks little."""
    ranked = sorted(
        ((_there(config, reading) - len(reading.problems), index)
         for index, (config, reading) in enumerate(tried) if _states_pin(reading)),
        reverse=True,
    )  # fmt: skip
    if not ranked or (len(ranked) > 1 and ranked[0][0] == ranked[1][0]):
        return None
    config, reading = tried[ranked[0][1]]
    if len(reading.problems) * 3 > _there(config, reading):
        return None
    return Fit(config=config, reading=reading, near=True)


def _there(config: Config, reading: Reading) -> int:
    """Return how many required entries of a preset are there."""
    required = sum(not (e.watch or e.optional or e.file_optional) for e in config.entries)
    return required - len(reading.problems)


def _explain(host: Host, tried: Iterable[tuple[Config, Reading]]) -> str:
    lines = [f"no preset fits {host.root}"]
    for config, reading in tried:
        if not any(found.sites or found.places for found in reading.found):
            continue
        lines += [
            f"  {config.source}: {describe(reading, problem)}" for problem in reading.problems
        ]
    return "\n".join(lines)
