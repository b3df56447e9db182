"""How a source builds itself, read from its setup.py without running it."""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

from dgpin.errors import UnavailableError

# Stand-ins for what only the build knows; `filled` puts the values in.
CUDA_HOME = "{CUDA_HOME}"
CXX11_ABI = "{CXX11_ABI}"


class Binding(str, Enum):
    """How Python reaches the C++ code."""

    PYBIND11 = "pybind11"  # one `_C.<EXT_SUFFIX>` for each Python
    TORCH_LIBRARY = "torch library"  # one abi3 extension behind the facade `_C.py`


class RecipeError(UnavailableError):
    """A setup.py whose build cannot be told from its text."""

    hint = "dgpin builds DeepGEMM's own layout: a CUDAExtension of lists of texts."

    def __init__(self, why: str, line: int = 0) -> None:
        super().__init__(f"setup.py{f':{line}' if line else ''}: {why}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The one extension of a source. Paths are relative to it, or begin with `{CUDA_HOME}`."""

    name: str  # deep_gemm._C
    binding: Binding
    sources: tuple[str, ...]
    includes: tuple[str, ...]
    libraries: tuple[str, ...]
    library_dirs: tuple[str, ...]
    flags: tuple[str, ...]
    third_party: tuple[str, ...]  # directories copied into deep_gemm/include for the JIT
    modules: tuple[str, ...]  # what setup.py imports at its top

    @property
    def cxx_std(self) -> int:
        """The C++ standard that its flags ask for; 17 is g++'s own where they do not."""
        asked = [flag for flag in self.flags if flag.startswith(("-std=c++", "-std=gnu++"))]
        digits = asked[-1].rpartition("+")[2] if asked else ""
        return int(digits) if digits.isdigit() else 17


def filled(text: str, *, cuda_home: str, cxx11_abi: bool) -> str:
    """Put the build's values in for the stand-ins."""
    return text.replace(CUDA_HOME, cuda_home).replace(CXX11_ABI, str(int(cxx11_abi)))


def parse(text: str, *, has: Callable[[str], bool]) -> Recipe:
    """Read a setup.py; `has` tells whether the source has a file.

    Raises:
        RecipeError: it is no Python, has no CUDAExtension, or builds its lists in other ways.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise RecipeError(f"cannot be parsed: {error.msg}", error.lineno or 0) from error
    values = _assignments(tree)
    call = _extension(tree)
    words = {word.arg: word.value for word in call.keywords if word.arg}
    if call.args:
        words.setdefault("name", call.args[0])
    if len(call.args) > 1:
        words.setdefault("sources", call.args[1])

    def items(name: str) -> tuple[str, ...]:
        return _texts(words[name], values) if name in words else ()

    name = _texts(words["name"], values)[0] if "name" in words else ""
    limited = isinstance(words.get("py_limited_api"), ast.Constant) and bool(
        ast.literal_eval(words["py_limited_api"])
    )
    return Recipe(
        name=name,
        binding=Binding.TORCH_LIBRARY
        if limited or has("deep_gemm/_C.py")
        else Binding.PYBIND11,
        sources=items("sources"),
        includes=items("include_dirs"),
        libraries=items("libraries"),
        library_dirs=items("library_dirs"),
        flags=_flags(words.get("extra_compile_args"), values),
        third_party=_texts(values["third_party_include_dirs"], values)
        if "third_party_include_dirs" in values
        else (),
        modules=_imports(tree, has),
    )


def _assignments(tree: ast.Module) -> dict[str, ast.expr]:
    values: dict[str, ast.expr] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    values[target.id] = node.value
    return values


def _extension(tree: ast.Module) -> ast.Call:
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _name(node.func) in {"CUDAExtension", "CppExtension"}
    ]
    if len(calls) != 1:
        raise RecipeError(f"{len(calls)} extensions where one is expected")
    return calls[0]


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _flags(node: ast.expr | None, values: Mapping[str, ast.expr]) -> tuple[str, ...]:
    if isinstance(node, ast.Dict):  # {'cxx': […], 'nvcc': […]}
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == "cxx":
                return _texts(value, values)
        return ()
    return _texts(node, values) if node is not None else ()


def _texts(node: ast.expr, values: Mapping[str, ast.expr]) -> tuple[str, ...]:
    """Evaluate an expression of texts, lists, names and `+`."""
    if isinstance(node, ast.Name) and node.id in values:
        return _texts(values[node.id], values)
    if isinstance(node, ast.List | ast.Tuple):
        return tuple(text for item in node.elts for text in _texts(item, values))
    if isinstance(node, ast.Starred):
        return _texts(node.value, values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return (*_texts(node.left, values), *_texts(node.right, values))
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return (node.value,)
    if isinstance(node, ast.JoinedStr):
        return ("".join(_piece(piece) for piece in node.values),)
    raise RecipeError(f"`{ast.unparse(node)}` is no list of texts", node.lineno)


def _piece(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    text = ast.unparse(node.value) if isinstance(node, ast.FormattedValue) else ""
    if text == "CUDA_HOME":
        return CUDA_HOME
    if "compiled_with_cxx11_abi" in text or "_GLIBCXX_USE_CXX11_ABI" in text:
        return CXX11_ABI
    raise RecipeError(f"`{text}` is known only when it runs", node.lineno)


def _imports(tree: ast.Module, has: Callable[[str], bool]) -> tuple[str, ...]:
    names: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            names.append(node.module)
    paths = {name: name.replace(".", "/") for name in names}
    foreign = (n for n, path in paths.items() if not (has(f"{path}.py") or has(f"{path}/__init__.py")))
    return tuple(dict.fromkeys(name.partition(".")[0] for name in foreign))
