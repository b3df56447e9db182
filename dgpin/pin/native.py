"""Facts of the compiled half: what the extension includes, needs and asserts."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dgpin.errors import RefusedError
from dgpin.pin.grammar import version_key
from dgpin.pin.headers import GCC_FLOORS, PACKAGES, UNDATED, owner
from dgpin.pin.includes import Closure, External, closure
from dgpin.pin.setup_reader import Setup, Word
from dgpin.source.tree import Tree
from dgpin.verdict import Place

# General libraries that DeepGEMM only uses. Their optional includes, for compilers and systems
# that DeepGEMM does not know, say nothing about it, and hosts do not watch their headers.
FOREIGN = frozenset({"cutlass", "fmt"})
# The directories of headers that a submodule brings, where they are not called as it is.
_BRINGS = {"cutlass": ("cutlass/", "cute/")}


class UnknownHeaderError(RefusedError):
    """A header that neither the source has nor any table."""

    hint = (
        "dgpin guesses no package. If a distribution's package holds the header, report the "
        "header and the package's name."
    )

    def __init__(self, unknown: Sequence[External]) -> None:
        each = "; ".join(f"<{one.header}>, included at {one.places[0]}" for one in unknown)
        noun, verb = ("a header", "is") if len(unknown) == 1 else ("headers", "are")
        super().__init__(
            f"the source needs {noun} that {verb} neither its own nor the standard library's, "
            f"CUDA's or torch's, nor in a known package: {each}"
        )
        self.headers = tuple(one.header for one in unknown)


@dataclass(frozen=True, slots=True, kw_only=True)
class Native:
    """The extension's translation units, read through."""

    setup: Setup
    closure: Closure
    missing: tuple[str, ...]  # submodules whose files are not at hand

    @property
    def own(self) -> dict[str, str]:
        """The code of each file reached without an #if that is no foreign library's."""
        return {
            path: scan.code
            for path, scan in self.closure.files.items()
            if path not in self.closure.conditional and not is_foreign(path)
        }


def is_foreign(path: str) -> bool:
    """Return whether a path lies in one of the FOREIGN libraries."""
    head, _, rest = path.partition("/")
    return head == "third-party" and rest.split("/")[0] in FOREIGN


def read(tree: Tree, setup: Setup, *, missing: tuple[str, ...]) -> Native:
    """Follow the includes of the extension's sources.

    Raises:
        UnknownHeaderError: a header that nobody is known to bring.
    """
    reached = closure(tree, [word.text for word in setup.sources], _texts(setup.includes))
    native = Native(setup=setup, closure=reached, missing=missing)
    stray = [
        each
        for each in reached.externals
        if owner(each.header) is None
        and not each.conditional
        and not _may_be_elsewhere(native, each.header)
    ]
    if stray:
        raise UnknownHeaderError(stray)
    return native


def _may_be_elsewhere(native: Native, header: str) -> bool:
    """Return whether a header may lie in a directory or a submodule that could not be read."""
    if "includes" in native.setup.doubts:
        return True
    for path in native.missing:
        name = path.rpartition("/")[2]
        # What the foreign libraries hold is known; any other may hold anything.
        if not is_foreign(path) or header.startswith(_BRINGS.get(name, (f"{name}/",))):
            return True
    return False


def _texts(words: Sequence[Word]) -> list[str]:
    return [word.text for word in words]


@dataclass(frozen=True, slots=True)
class Floor:
    """A version that the source needs at least, and the lines that say so."""

    version: str
    places: tuple[Place, ...]


def gcc_floor(native: Native) -> Floor | None:
    """Return the first GCC that has every standard header which is included without an #if."""
    floors = [
        Floor(GCC_FLOORS[each.header], each.places)
        for each in native.closure.externals
        if each.header in GCC_FLOORS and not each.conditional
    ]
    return _highest(floors)


_CALL = re.compile(r"\b(\w+)\s*\(")
# As DeepGEMM writes it: `major > 12 or (major == 12 and minor >= 9)`.
_MAJOR_MINOR = re.compile(
    r"\b((?:nvcc_|nvrtc_|cuda_)?major)\s*>\s*(\d+)\s*(?:or|\|\|)\s*\(\s*\1\s*==\s*\2"
    r"\s*(?:and|&&)\s*(?:nvcc_|nvrtc_|cuda_)?minor\s*>=\s*(\d+)\s*\)"
)
_NUMBER = re.compile(r"\bCUDA(?:RT)?_VERSION\s*>=\s*(\d{4,6})\b")


def cuda_floor(native: Native) -> Floor | None:
    """Return the highest version that an assertion on NVCC, NVRTC or the CUDA headers demands."""
    floors: list[Floor] = []
    for path, code in native.own.items():
        if "ASSERT" not in code and "assert" not in code:
            continue
        regions = native.closure.files[path].conditional
        for line, asserted in _assertions(code):
            found = [Floor(version, (Place(path, line),)) for version in _versions(asserted)]
            if found and not any(first <= line <= last for first, last in regions):
                floors += found
    return _highest(floors)


def _assertions(code: str) -> Iterator[tuple[int, str]]:
    """Yield each assertion up to its semicolon, and the line on which it begins."""
    line, counted, end = 1, 0, 0
    for call in _CALL.finditer(code):
        if call.start() < end or not ("ASSERT" in call[1] or "assert" in call[1]):
            continue
        end = code.find(";", call.end()) + 1
        if end == 0:
            return
        line, counted = line + code.count("\n", counted, call.start()), call.start()
        yield line, code[call.start() : end]


def _versions(assertion: str) -> Iterator[str]:
    for match in _MAJOR_MINOR.finditer(assertion):
        yield f"{match[2]}.{match[3]}"
    for match in _NUMBER.finditer(assertion):
        number = int(match[1])  # cuda.h counts 1000 a major and 10 a minor version
        yield f"{number // 1000}.{number % 1000 // 10}"


def _highest(floors: Sequence[Floor]) -> Floor | None:
    if not floors:
        return None
    top = max((floor.version for floor in floors), key=version_key)
    return Floor(
        top, tuple(sorted({p for floor in floors if floor.version == top for p in floor.places}))
    )


_STANDARDS = {"1z": "17", "2a": "20", "2b": "23", "2c": "26"}  # the names of drafts


def cxx_standard(native: Native) -> Floor | None:
    """Return the C++ standard that setup.py compiles with."""
    doubtful = native.setup.doubts.get("flags", ())
    for word in native.setup.flags:
        place = Place(native.setup.path, word.line)
        match = re.fullmatch(r"-std=(?:c|gnu)\+\+(\w\w)", word.text)
        if match and place not in doubtful:
            return Floor(_STANDARDS.get(match[1], match[1]), (place,))
    return None


def packages(native: Native, family: str) -> dict[str, Place]:
    """Return the distribution's packages that hold needed headers: "rpm", "deb" or "apk"."""
    found: dict[str, Place] = {}
    for each in native.closure.externals:
        places = [place for place in each.places if not is_foreign(place.path)]
        if each.header in PACKAGES and places:
            found.setdefault(str(getattr(PACKAGES[each.header], family)), places[0])
    return dict(sorted(found.items()))


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a fact may be more than is said."""

    fact: str
    reason: str


_PACKAGE_FACTS = ("packages.rpm", "packages.deb", "packages.apk")


def doubts(native: Native) -> Iterator[Doubt]:
    """Yield what would change a fact if a condition held, a macro were known, or a file at hand."""
    every = ("gcc_min", "cuda_min", *_PACKAGE_FACTS)
    for place in native.setup.doubts.get("includes", ()):
        yield from _each(every, f"only running setup.py tells the directory at {place}")
    if native.missing:
        # Of the foreign libraries only their standard headers count, see packages and cuda_floor.
        foreign = all(map(is_foreign, native.missing))
        reason = f"the files of {', '.join(native.missing)} are not at hand"
        yield from _each(("gcc_min",) if foreign else every, reason)
    for each in native.closure.externals:
        if each.header in UNDATED:
            yield Doubt("gcc_min", f"{each.places[0]} includes <{each.header}>, new to C++")
        elif each.conditional:
            yield from _on_condition(native, each)
    for place in native.closure.unresolved:
        if not is_foreign(place.path):
            reason = f"{place} includes what an unknown macro names"
            yield from _each(("gcc_min", *_PACKAGE_FACTS), reason)


def _each(facts: Iterable[str], reason: str) -> Iterator[Doubt]:
    return (Doubt(fact, reason) for fact in facts)


def _on_condition(native: Native, external: External) -> Iterator[Doubt]:
    places = [place for place in external.places if not is_foreign(place.path)]
    # A quoted one is an optional file of the source's own; one of a missing submodule is known.
    if not places or external.quoted or _may_be_elsewhere(native, external.header):
        return
    reason = f"<{external.header}> is included under a condition at {places[0]}"
    if external.header in GCC_FLOORS:
        floor = gcc_floor(native)
        wanted = version_key(GCC_FLOORS[external.header])
        if floor is None or wanted > version_key(floor.version):
            yield Doubt("gcc_min", reason)
    elif owner(external.header) is None:
        yield from _each(_PACKAGE_FACTS, reason)


_PYBIND = re.compile(r"\bPYBIND11_MODULE\s*\(")
_TORCH = re.compile(r"\b(?:STABLE_)?TORCH_LIBRARY(?:_FRAGMENT)?\s*\(")


def bindings(native: Native) -> dict[str, Place]:
    """Return each kind of binding that the sources make, `pybind11` or `torch-library`."""
    found: dict[str, Place] = {}
    for path, code in native.own.items():
        for kind, pattern in (("pybind11", _PYBIND), ("torch-library", _TORCH)):
            if kind not in found and (match := pattern.search(code)):
                found[kind] = Place(path, code.count("\n", 0, match.start()) + 1)
    return found
