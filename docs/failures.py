"""The page of errors, read from the text of the classes: what each says, and what to do."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import dgpin

PACKAGE = Path(dgpin.__file__).parent
CODES = {
    "RefusedError": "Exit 1: refused on its merits, and nothing was written",
    "UsageError": "Exit 2: the request or the configuration",
    "UnavailableError": "Exit 3: it could not be done here",
}
_ROOT = "DgpinError"
_HEAD = """\
# Errors

Written by `make docs` from the classes themselves. An error says what, where and what now: one
sentence, then the cure on a line of its own. What stands in `<…>` is filled in.
[Exit codes](exit-codes.md) says which code beats which.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One class of the tree. Holes in its texts are in angle brackets."""

    name: str
    module: str
    base: str
    what: str
    message: str
    cure: str

    @property
    def title(self) -> str:
        """The first sentence of what it is."""
        return self.what.partition("\n")[0].removesuffix(".")


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """A base class that is raised as it is: where, and whether a cure is given."""

    place: str
    cured: bool


def read() -> tuple[tuple[Failure, ...], tuple[Raised, ...]]:
    """Return every class of errors.py's tree, and every raise of one of its first four."""
    classes: dict[str, tuple[ast.ClassDef, str]] = {}
    raised: list[Raised] = []
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and node.name.endswith("Error"):
                classes[f"{module}.{node.name}"] = (node, module)
            elif isinstance(node, ast.Raise) and (found := _bare(node)):
                cured = any(word.arg == "hint" for word in found.keywords)
                raised.append(
                    Raised(place=f"{path.relative_to(PACKAGE)}:{node.lineno}", cured=cured)
                )
    return tuple(_failures(classes)), tuple(raised)


def _bare(node: ast.Raise) -> ast.Call | None:
    match node.exc:
        case ast.Call(func=ast.Name(id=name)) as call if name in {*CODES, _ROOT}:
            return call
        case _:
            return None


def _failures(classes: Mapping[str, tuple[ast.ClassDef, str]]) -> Iterator[Failure]:
    by_name: dict[str, list[str]] = {}
    for key, (node, _) in classes.items():
        by_name.setdefault(node.name, []).append(key)

    def parent(key: str) -> str:
        node, module = classes[key]
        base = node.bases[0] if node.bases else None
        name = base.id if isinstance(base, ast.Name) else getattr(base, "attr", "")
        near = [other for other in by_name.get(name, ()) if classes[other][1] == module]
        return (
            name
            if name in CODES or name == _ROOT
            else next(iter(near or by_name.get(name, [])), "")
        )

    for key, (node, module) in classes.items():
        line = [key]
        while line[-1] in classes:
            line.append(parent(line[-1]))
        if line[-1] not in CODES or node.name in CODES:
            continue  # an exception of its own module's, or one of the first four
        own = [classes[each][0] for each in line[:-1]]
        yield Failure(
            name=node.name,
            module=module,
            base=line[-1],
            what=ast.get_docstring(node) or "",
            message=next(filter(None, (_message(each) for each in own)), ""),
            cure=next(filter(None, (_cure(each) for each in own)), ""),
        )


def _message(node: ast.ClassDef) -> str:
    call = _super(node)
    return _text(call.args[0]) if call is not None and call.args else ""


def _cure(node: ast.ClassDef) -> str:
    call = _super(node)
    given = (
        next((word.value for word in call.keywords if word.arg == "hint"), None) if call else None
    )
    text = _text(given) if given is not None else ""
    return text if text and not text.startswith("<") else _class_hint(node)


def _class_hint(node: ast.ClassDef) -> str:
    for statement in node.body:
        if isinstance(statement, ast.Assign) and getattr(statement.targets[0], "id", "") == "hint":
            return _text(statement.value)
    return ""


def _super(node: ast.ClassDef) -> ast.Call | None:
    calls = (inner for inner in ast.walk(node) if isinstance(inner, ast.Call))
    return next((call for call in calls if ast.unparse(call.func) == "super().__init__"), None)


def _text(node: ast.expr) -> str:
    """Return a text as a reader would meet it, with its holes in angle brackets."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _text(node.left) + _text(node.right)
    value = node.value if isinstance(node, ast.FormattedValue) else node
    name = ast.unparse(value).split("(")[0].split(".")[-1].split("[")[0].strip("'\" ")
    return f"<{name.replace('_', ' ').strip()}>" if name.replace("_", "").isalnum() else "<…>"


def page(failures: Sequence[Failure]) -> str:
    """Return the page."""
    parts = [_HEAD]
    for base, title in CODES.items():
        parts.append(f"## {title}\n")
        rows = (each for each in failures if each.base == base)
        parts += [_section(each) for each in sorted(rows, key=lambda each: each.title)]
    return "\n".join(parts)


def _section(failure: Failure) -> str:
    said = failure.message.partition("\n")[0].replace("`", "")
    message = f"\n    dgpin: {said}\n" if said and said.strip("<>… ") else ""
    return f"### {failure.title}\n{message}\n{_escaped(failure.cure)}\n"


def _escaped(text: str) -> str:
    """Return a text in which a hole is no HTML; inside code it is none anyway."""
    parts = text.split("`")
    return "`".join(p if i % 2 else p.replace("<", "\\<") for i, p in enumerate(parts))
