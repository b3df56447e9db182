"""What DeepGEMM's setup.py says about its extension, read and never run."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from posixpath import normpath

from dgpin.pin import python_text
from dgpin.verdict import Place

_EXTENSIONS = frozenset({"CUDAExtension", "CppExtension", "Extension", "BuildExtension"})
# Expressions whose value belongs to the machine: the toolkit's, torch's and Python's directories.
_MACHINE = re.compile(
    r"cuda|torch|cpp_extension|include_paths|library_paths|sysconfig", re.IGNORECASE
)
_ENVIRONMENT = frozenset({"os.getenv", "os.environ.get", "getenv", "environ.get"})


Names = Mapping[str, Sequence[ast.expr]]


@dataclass(frozen=True, slots=True)
class Word:
    """One text in a list of setup.py and where it stands."""

    text: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """The extension that setup.py declares.

    `third_party` holds the directories that setup.py copies into the package. `unread` are the
    elements of `includes` whose value only running setup.py would tell; `doubts` says of which
    other fields that holds, and of which an `if` decides.
    """

    path: str
    name: Word | None = None
    sources: tuple[Word, ...] = ()
    includes: tuple[Word, ...] = ()
    libraries: tuple[Word, ...] = ()
    flags: tuple[Word, ...] = ()
    third_party: tuple[Word, ...] = ()
    environment: tuple[Word, ...] = ()  # `NAME=default`
    limited_api: Place | None = None
    unread: tuple[Place, ...] = ()
    doubts: Mapping[str, tuple[Place, ...]] = field(default_factory=dict)


def read(text: str, *, path: str = "setup.py") -> Setup:
    """Read a setup.py.

    Raises:
        SyntaxError: it is no Python that this interpreter knows.
    """
    tree = python_text.parse(text, path=path)
    names = _lists(tree)
    call = _extension(tree)
    if call is None:
        return Setup(path=path, environment=_environment(tree))
    arguments = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    if call.args:
        arguments.setdefault("name", call.args[0])
    if len(call.args) > 1:
        arguments.setdefault("sources", call.args[1])
    elements = {
        "sources": _elements(arguments.get("sources"), names),
        "includes": _elements(arguments.get("include_dirs"), names),
        "libraries": _elements(arguments.get("libraries"), names),
        "flags": _flags(arguments.get("extra_compile_args"), names),
    }
    third_party = names.get("third_party_include_dirs", ())
    return Setup(
        path=path,
        name=next(iter(_words([arguments["name"]], names)), None) if "name" in arguments else None,
        sources=tuple(_words(elements["sources"], names)),
        includes=tuple(_directories(elements["includes"], names)),
        libraries=tuple(_words(elements["libraries"], names)),
        flags=tuple(_words(elements["flags"], names)),
        third_party=tuple(_directories(third_party, names)),
        environment=_environment(tree),
        limited_api=_limited_api(call, tree, path),
        unread=_unread(elements["includes"], names, path),
        doubts=_doubts(elements, names, switched=_switched(tree), path=path),
    )


def _unread(nodes: Sequence[ast.expr], names: Names, path: str) -> tuple[Place, ...]:
    return tuple(
        Place(path, node.lineno)
        for node in nodes
        if _text(node, names) is None and not _MACHINE.search(ast.unparse(node))
    )


def _doubts(
    elements: Mapping[str, Sequence[ast.expr]],
    names: Names,
    *,
    switched: frozenset[int],
    path: str,
) -> dict[str, tuple[Place, ...]]:
    found: dict[str, tuple[Place, ...]] = {}
    for name, nodes in elements.items():
        decided = tuple(Place(path, node.lineno) for node in nodes if node.lineno in switched)
        if places := (*_unread(nodes, names, path), *decided):
            found[name] = places
    return found


def _lists(tree: ast.Module) -> dict[str, list[ast.expr]]:
    """Return what the file's names hold: a list's elements, or the one value of a scalar.

    What stands under an `if` adds to what a name holds, a later plain assignment replaces it. The
    names of functions count where the module has none of that name.
    """
    names: dict[str, list[ast.expr]] = {}
    _collect(tree.body, names, certain=True)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            local: dict[str, list[ast.expr]] = {}
            _collect(node.body, local, certain=True)
            names = local | names
    return names


def _collect(body: Sequence[ast.stmt], names: dict[str, list[ast.expr]], *, certain: bool) -> None:
    for node in body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            before = [] if certain else names.get(name, [])
            names[name] = [*before, *_elements(node.value, names)]
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            names.setdefault(node.target.id, []).extend(_elements(node.value, names))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            _grow(node.value, names)
        elif not isinstance(node, ast.FunctionDef | ast.ClassDef):
            plain = isinstance(node, ast.With | ast.Try)
            for block in (getattr(node, "body", []), getattr(node, "orelse", [])):
                _collect(block, names, certain=certain and plain)


def _grow(call: ast.Call, names: dict[str, list[ast.expr]]) -> None:
    """Follow `name.append(element)` and `name.extend(elements)`."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    if not isinstance(owner, ast.Name) or owner.id not in names or not call.args:
        return
    if _called(call) == "append":
        names[owner.id].append(call.args[0])
    elif _called(call) == "extend":
        names[owner.id].extend(_elements(call.args[0], names))


def _switched(tree: ast.Module) -> frozenset[int]:
    """Return the lines that an `if` of the module may leave out."""
    return frozenset(
        line
        for node in tree.body
        if isinstance(node, ast.If)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    )


def _extension(tree: ast.Module) -> ast.Call | None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) in _EXTENSIONS and node.keywords:
            return node
    return None


def _called(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _elements(node: ast.expr | None, names: Names) -> list[ast.expr]:
    """Return the elements of a list expression, names and sums followed."""
    if node is None:
        return []
    if isinstance(node, ast.List | ast.Tuple):
        return [part for element in node.elts for part in _starred(element, names)]
    if isinstance(node, ast.Name) and node.id in names:
        return list(names[node.id])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*_elements(node.left, names), *_elements(node.right, names)]
    return [node]


def _starred(node: ast.expr, names: Names) -> list[ast.expr]:
    if isinstance(node, ast.Starred):
        return _elements(node.value, names)
    return [node]


def _words(nodes: Sequence[ast.expr], names: Names) -> Iterator[Word]:
    for node in nodes:
        text = _text(node, names)
        if text is not None:
            yield Word(text, node.lineno)


def _directories(nodes: Sequence[ast.expr], names: Names) -> Iterator[Word]:
    for word in _words(nodes, names):
        path = normpath(word.text)
        if not path.startswith(("/", "..")):
            yield Word(path, word.line)


def _text(node: ast.expr, names: Names, *, depth: int = 0) -> str | None:
    """Return an expression's text; "." for the directory of setup.py, None where it is unknown."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if depth > 8 or (isinstance(node, ast.Name) and len(names.get(node.id, ())) != 1):  # noqa: PLR2004 - a name that means itself
        return None
    parts: Sequence[ast.expr] = ()
    joint = "/"
    if isinstance(node, ast.Name):
        parts = names[node.id]
    elif isinstance(node, ast.JoinedStr):
        parts, joint = node.values, ""
    elif isinstance(node, ast.FormattedValue):
        parts = [node.value]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div | ast.Add):
        parts = [node.left, node.right]
        joint = "/" if isinstance(node.op, ast.Div) else ""
    elif isinstance(node, ast.Call) and _called(node) in {"join", "str", "Path", "fspath"}:
        parts = node.args
    texts = [_text(part, names, depth=depth + 1) for part in parts]
    if parts and None not in texts:
        return joint.join(text for text in texts if text is not None)
    return "." if _is_here(node) else None


def _is_here(node: ast.expr) -> bool:
    """Return whether an expression is the usual spelling of `the directory of this file`."""
    return re.fullmatch(
        r"(?:os\.path\.)?dirname\((?:os\.path\.)?(?:realpath|abspath)?\(?__file__\)?\)"
        r"|(?:pathlib\.)?Path\(__file__\)(?:\.(?:resolve|absolute)\(\))?\.parent"
        r"|(?:os\.)?getcwd\(\)",
        ast.unparse(node),
    ) is not None  # fmt: skip


def _flags(node: ast.expr | None, names: Names) -> list[ast.expr]:
    """Return the flags of the C++ compiler; a dictionary names them `cxx`."""
    if isinstance(node, ast.Name) and len(names.get(node.id, ())) == 1:
        node = names[node.id][0] if isinstance(names[node.id][0], ast.Dict) else node
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == "cxx":
                return _elements(value, names)
        return []
    return _elements(node, names)


def _environment(tree: ast.Module) -> tuple[Word, ...]:
    """Return `NAME=default` for each environment variable that has a default."""
    found: dict[str, Word] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in _ENVIRONMENT:
            texts = [str(each.value) for each in node.args if isinstance(each, ast.Constant)]
            if len(texts) == len(node.args) == 2:  # noqa: PLR2004 - the name and its default
                found.setdefault(texts[0], Word("=".join(texts), node.lineno))
    return tuple(found[name] for name in sorted(found))


def _limited_api(call: ast.Call, tree: ast.Module, path: str) -> Place | None:
    for keyword in call.keywords:
        if keyword.arg == "py_limited_api" and ast.unparse(keyword.value) == "True":
            return Place(path, keyword.value.lineno)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and str(node.value).startswith("-DPy_LIMITED_API="):
            return Place(path, node.lineno)
    return None
