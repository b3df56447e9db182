"""How a source builds itself, read from its setup.py without running it."""

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum

from dgpin.errors import UnavailableError
from dgpin.pin import setup_reader
from dgpin.pin.setup_reader import Setup, Word


class Binding(str, Enum):
    """How Python reaches the C++ code."""

    PYBIND11 = "pybind11"  # one `_C.<EXT_SUFFIX>` for each Python
    TORCH_LIBRARY = "torch library"  # one abi3 extension behind the facade `_C.py`


class RecipeError(UnavailableError):
    """A setup.py whose build cannot be told from its text."""

    hint = "dgpin builds DeepGEMM's own layout: one CUDAExtension made of lists of texts."

    def __init__(self, why: str, line: int = 0) -> None:
        super().__init__(f"setup.py{f':{line}' if line else ''}: {why}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The one extension of a source. Paths are relative to it.

    The toolkit's and torch's own directories and libraries are left out: the machine gives them.
    """

    name: str  # deep_gemm._C
    binding: Binding
    sources: tuple[str, ...]
    includes: tuple[str, ...]
    libraries: tuple[str, ...]
    flags: tuple[str, ...]
    third_party: tuple[str, ...]  # directories copied into deep_gemm/include for the JIT
    modules: tuple[str, ...]  # what setup.py imports at its top

    @property
    def cxx_std(self) -> int:
        """The C++ standard that its flags ask for; 17 is g++'s own where they do not."""
        asked = [flag for flag in self.flags if flag.startswith(("-std=c++", "-std=gnu++"))]
        digits = asked[-1].rpartition("+")[2] if asked else ""
        return int(digits) if digits.isdigit() else 17


def parse(text: str, *, has: Callable[[str], bool]) -> Recipe:
    """Read a setup.py; `has` tells whether the source has a file.

    Raises:
        RecipeError: it is no Python, declares no extension, or only running it would tell how.
    """
    try:
        tree = ast.parse(text)
        setup = setup_reader.read(text)
    except SyntaxError as error:
        raise RecipeError(f"cannot be parsed: {error.msg}", error.lineno or 0) from error
    except (ValueError, RecursionError, MemoryError) as error:  # a NUL, or too many brackets
        raise RecipeError(f"cannot be parsed: {error}") from error
    if setup.name is None or not setup.sources:
        raise RecipeError("declares no extension with a name and sources")
    if setup.unread:
        raise RecipeError("an include directory is known only when it runs", setup.unread[0].line)
    facade = has("deep_gemm/_C.py")
    switched = _switched_lines(tree)

    def always(words: Iterable[Word]) -> tuple[str, ...]:
        return tuple(word.text for word in words if word.line not in switched)

    return Recipe(
        name=setup.name.text,
        binding=_binding(setup, facade=facade),
        sources=always(setup.sources),
        includes=always(setup.includes),
        libraries=always(setup.libraries),
        flags=always(setup.flags),
        third_party=always(setup.third_party),
        modules=_imports(tree, has),
    )


def _binding(setup: Setup, *, facade: bool) -> Binding:
    is_library = setup.limited_api is not None or facade
    return Binding.TORCH_LIBRARY if is_library else Binding.PYBIND11


def _switched_lines(tree: ast.Module) -> frozenset[int]:
    # Flags under an `if` belong to switches such as DG_JIT_USE_RUNTIME_API, which are off.
    return frozenset(
        line
        for node in tree.body
        if isinstance(node, ast.If)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    )


def _imports(tree: ast.Module, has: Callable[[str], bool]) -> tuple[str, ...]:
    names: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            names.append(node.module)
    paths = {name: name.replace(".", "/") for name in names}
    foreign = (
        name
        for name, path in paths.items()
        if not (has(f"{path}.py") or has(f"{path}/__init__.py"))
    )
    return tuple(dict.fromkeys(name.partition(".")[0] for name in foreign))
