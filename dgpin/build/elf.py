"""What an extension asks of others, read from its ELF tables."""

import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dgpin.errors import UnavailableError


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


def read(data: bytes, *, name: str) -> Needs:
    """Return what a shared object needs.

    Raises:
        ElfError: it is none, or is cut off.
    """
    from elftools.common.exceptions import ELFError  # noqa: PLC0415 - start-up
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415 - start-up

    try:
        elf: Any = ELFFile(io.BytesIO(data))
        dynamic, symbols = elf.get_section_by_name(".dynamic"), elf.get_section_by_name(".dynsym")
        if dynamic is None or symbols is None:
            raise ElfError(name, "it has no dynamic section")
        needed = [tag.needed for tag in dynamic.iter_tags() if tag.entry.d_tag == "DT_NEEDED"]
        undefined = [
            each.name
            for each in symbols.iter_symbols()
            if each.name
            and each["st_shndx"] == "SHN_UNDEF"
            and each["st_info"]["bind"] == "STB_GLOBAL"
        ]
    except (ELFError, ValueError, KeyError, AttributeError, UnicodeDecodeError) as error:
        raise ElfError(name, str(error) or type(error).__name__) from error
    return Needs(libraries=tuple(needed), symbols=tuple(undefined))


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
    from elftools.common.exceptions import ELFError  # noqa: PLC0415 - start-up
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415 - start-up

    try:
        with library.open("rb") as file:
            elf: Any = ELFFile(file)
            table = elf.get_section_by_name(".gnu.hash") or elf.get_section_by_name(".hash")
            if table is None:
                return symbols
            return tuple(name for name in symbols if not _exports(table, name))
    except (ELFError, OSError, ValueError) as error:
        raise ElfError(str(library), str(error)) from error


def _exports(table: Any, name: str) -> bool:  # noqa: ANN401 - pyelftools has no types
    found = table.get_symbol(name)
    return found is not None and found["st_shndx"] != "SHN_UNDEF"
