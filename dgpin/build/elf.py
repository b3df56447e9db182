"""What an extension asks of others, read from its ELF tables."""

import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dgpin.errors import UnavailableError

_MOST_TEXT = 2**28  # characters of all names; an extension of DeepGEMM's has half a million
# pyelftools raises whatever its steps raise, down to ZeroDivisionError and zlib.error.
_UNREADABLE: tuple[type[Exception], ...] = (Exception,)


class ElfError(UnavailableError):
    """A file that is no readable shared object."""

    hint = "Fetch or build it again."

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name} is no shared object that can be read: {why}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """The libraries that a shared object names (NEEDED) and the symbols that others must have.

    Weak symbols are left out: nothing fails without them.
    """

    libraries: tuple[str, ...]
    symbols: tuple[str, ...]
    machine: str = ""  # as platform tags spell it: x86_64, aarch64


# What platform tags call the machines that CUDA knows; others keep ELF's own name.
_MACHINES = {"EM_X86_64": "x86_64", "EM_AARCH64": "aarch64", "EM_386": "i686"}


def read(data: bytes, *, name: str) -> Needs:
    """Return what a shared object needs.

    Raises:
        ElfError: it is none, or is cut off.
    """
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415 - start-up

    try:
        elf: Any = ELFFile(io.BytesIO(data))
        dynamic = _section(elf, ".dynamic", name=name)
        symbols = _section(elf, ".dynsym", name=name)
        _bound_names(elf, symbols, name=name)
        needed = [tag.needed for tag in dynamic.iter_tags() if tag.entry.d_tag == "DT_NEEDED"]
        undefined = [
            each.name
            for each in symbols.iter_symbols()
            if each.name
            and each["st_shndx"] == "SHN_UNDEF"
            and each["st_info"]["bind"] == "STB_GLOBAL"
        ]
    except ElfError:
        raise
    except _UNREADABLE as error:
        raise ElfError(name, str(error) or type(error).__name__) from error
    kind = str(elf["e_machine"])
    machine = _MACHINES.get(kind, kind.removeprefix("EM_").lower())
    return Needs(libraries=tuple(needed), symbols=tuple(undefined), machine=machine)


def absent(symbols: Iterable[str], libraries: Iterable[Path]) -> tuple[str, ...]:
    """Return those symbols that none of the libraries exports, looked up in their hash tables.

    Raises:
        ElfError: a library cannot be read.
    """
    left = tuple(symbols)
    for path in libraries:
        left = _not_exported(left, path)
    return left


def _not_exported(symbols: tuple[str, ...], library: Path) -> tuple[str, ...]:
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415 - start-up

    try:
        with library.open("rb") as file:
            elf: Any = ELFFile(file)
            if (table := elf.get_section_by_name(".gnu.hash")) is not None:
                return tuple(name for name in symbols if not _exports(table, name))
            if (listed := elf.get_section_by_name(".dynsym")) is None:
                return symbols
            _bound_names(elf, listed, name=str(library))
            exported = {s.name for s in listed.iter_symbols() if s["st_shndx"] != "SHN_UNDEF"}
            return tuple(name for name in symbols if name not in exported)
    except _UNREADABLE as error:
        raise ElfError(str(library), str(error)) from error


def _section(elf: Any, which: str, *, name: str) -> Any:  # noqa: ANN401 - as below
    if (found := elf.get_section_by_name(which)) is None:
        raise ElfError(name, "it has no dynamic section")
    return found


class _Names:
    """The names of a table of symbols; pyelftools would look for an end beyond them."""

    def __init__(self, texts: bytes) -> None:
        self._texts = texts

    def get_string(self, offset: int) -> str:
        """Return the name at an offset."""
        return self._texts[offset : self._texts.index(b"\0", offset)].decode(errors="replace")


def _bound_names(elf: Any, symbols: Any, *, name: str) -> None:  # noqa: ANN401 - as below
    """Refuse a table of symbols that may all have the same name of megabytes."""
    texts: bytes = elf.get_section(symbols["sh_link"]).data()
    longest = max(map(len, texts.split(b"\0")))
    if symbols.num_symbols() * longest > _MOST_TEXT:
        raise ElfError(name, "the names of its symbols are too long")
    symbols.stringtable = _Names(texts)


def _exports(table: Any, name: str) -> bool:  # noqa: ANN401 - pyelftools has no types
    found = table.get_symbol(name)
    return found is not None and found["st_shndx"] != "SHN_UNDEF"
