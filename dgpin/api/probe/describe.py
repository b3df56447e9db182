"""Describe one object: what it is, what its binding says of it, which other names it has."""

import enum
import inspect
import re
import types
from collections.abc import Callable

from . import load, text

# What every class has, or what says nothing to a caller; `__repr__` and its like are not calls.
SILENT = frozenset(
    (
        *("__module__", "__doc__", "__dict__", "__weakref__", "__qualname__", "__annotations__"),
        *("__init__", "__new__", "__slots__", "__repr__", "__str__", "__hash__", "__format__"),
        *("__match_args__", "__dataclass_fields__", "__dataclass_params__", "__replace__"),
        *("__static_attributes__", "__firstlineno__", "__abstractmethods__", "__entries"),
        *("__orig_bases__", "__parameters__", "__annotate__", "__annotate_func__"),
        *("__annotations_cache__", "__getstate__", "__setstate__", "__reduce__", "__reduce_ex__"),
        *("__class_getitem__", "__members__", "__index__", "__int__", "__init_subclass__"),
        *("__subclasshook__", "__getnewargs__", "__signature__", "__wrapped__", "__dir__"),
        *("__sizeof__", "__setattr__", "__delattr__"),
    )
)
SIMPLE = (type(None), bool, int, float, complex, str, bytes)
LONGEST = 200
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


class Ops:
    """The torch ops that the build registered."""

    def __init__(self, torch: types.ModuleType) -> None:
        # The only list that is whole: `torch.ops` knows the ops that were touched so far.
        self._all = torch._C._jit_get_all_schemas  # noqa: SLF001 - there is no public one
        self._before = {schema.name for schema in self._all()}
        self.schemas: dict[str, list[str]] = {}

    def collect(self, is_namespace: "Callable[[str], bool]") -> None:
        """Take the schemas that are new since torch was imported, in the build's namespaces."""
        for schema in self._all():
            new = schema.name not in self._before
            if new and is_namespace(schema.name.partition("::")[0]):
                self.schemas.setdefault(schema.name, []).append(str(schema))

    def of(self, value: object) -> "str | None":
        """Return the qualified name of the op that an object is, if it is one."""
        kind = type(value)
        if not kind.__module__.startswith("torch._ops"):
            return None
        name = getattr(value, "_qualified_op_name", None) or getattr(value, "_name", None)
        return str(name).partition(".")[0] if name else None


class Groups:
    """Names for objects: equal for equal objects, the same in every run."""

    def __init__(self) -> None:
        self._labels: dict[int, str] = {}
        self._taken: dict[str, int] = {}
        self._alive: list[object] = []  # an id is only an identity while its object lives

    def of(self, value: object, path: str) -> str:
        """Return the object's label, made from its own name or from where it was met first."""
        key = id(value)
        if key in self._labels:
            return self._labels[key]
        module = getattr(value, "__module__", None)
        # pybind11 puts its own record's name into __qualname__.
        native = type(value) is type(len)
        name = None if native else getattr(value, "__qualname__", None)
        name = name or getattr(value, "__name__", None)
        if isinstance(value, types.ModuleType):
            label = value.__name__
        else:
            known = isinstance(module, str) and isinstance(name, str)
            label = f"{module}:{name}" if known else path
        count = self._taken[label] = self._taken.get(label, 0) + 1
        if count > 1:
            label = f"{label}#{count}"
        self._labels[key] = label
        self._alive.append(value)
        return label


def is_own(value: object) -> bool:
    """Tell what the build made from what leaked into its modules."""
    if inspect.isclass(value) or inspect.isroutine(value):
        module = getattr(value, "__module__", None)
        return not isinstance(module, str) or load.belongs(module)
    # Instances, constants and wrappers: the text has told which were imported.
    return not type(value).__module__.startswith("typing")


def symbol(path: str, value: object, *, ops: Ops, groups: Groups) -> "list[dict[str, object]]":
    """Return the rows for one public name: itself, and its members when it is a class."""
    row: dict[str, object] = {"path": path, "group": groups.of(value, path)}
    row["canonical"] = str(getattr(value, "__name__", "") or "")
    if inspect.isclass(value):
        return _class(row, value)
    value, launched = _launched(value)
    op = ops.of(value)
    if op is not None:
        row.update(kind="function", schemas=ops.schemas.get(op, []), group=f"op:{op}", canonical=op)
    elif callable(value):
        row.update(kind="function", **_callable(value, ops))
        if launched:
            row["traits"] = [*row["traits"], "launched with [grid]"]  # type: ignore[misc]
    else:
        # Small values are shared by the interpreter, so only names say what is one thing.
        name = path.rpartition(".")[2]
        row.update(kind="constant", value=spell(value), group=f"constant:{name}:{spell(value)}")
    return [row]


def _launched(value: object) -> "tuple[object, bool]":
    """Return the Python function under a Triton kernel: `kernel[grid](…)` takes its arguments."""
    launched = False
    while type(value).__module__.split(".")[0] == "triton" and hasattr(value, "fn"):
        value, launched = value.fn, True
    return value, launched


def _callable(value: object, ops: Ops) -> "dict[str, object]":
    facts: dict[str, object] = {"traits": traits(value)}
    if type(value) is type(len) or type(value).__name__ in ("instancemethod", "method_descriptor"):
        facts["doc"] = value.__doc__ or ""
        if getattr(value, "__text_signature__", None) is None:
            return facts
    facts.update(_inspect(value))
    forwarded = _forwarded(value, facts, ops)
    if forwarded is not None:
        facts["schemas"] = ops.schemas[forwarded]
        facts["canonical"] = forwarded
    return facts


def _forwarded(value: object, facts: "dict[str, object]", ops: Ops) -> "str | None":
    """Return the op behind a wrapper that takes anything and hands it on."""
    parameters = facts.get("parameters")
    if not isinstance(parameters, list):
        return None
    if {p["kind"] for p in parameters} != {"VAR_POSITIONAL", "VAR_KEYWORD"}:
        return None
    cells = [c.cell_contents for c in getattr(value, "__closure__", None) or () if _is_set(c)]
    found = [op for op in map(ops.of, cells) if op in ops.schemas]
    if len(found) == 1:
        return found[0]
    code = getattr(value, "__code__", None)
    named = set(getattr(code, "co_names", ()))
    named |= {c for c in getattr(code, "co_consts", ()) if isinstance(c, str)}
    named |= {c for c in cells if isinstance(c, str)}
    reached = [op for op in ops.schemas if op.partition("::")[2] in named]
    return reached[0] if len(reached) == 1 else None


def _is_set(cell: object) -> bool:
    try:
        cell.cell_contents  # type: ignore[attr-defined] # noqa: B018 - asking is the test
    except ValueError:
        return False
    return True


def _inspect(value: object) -> "dict[str, object]":
    try:
        signature = inspect.signature(value)  # type: ignore[arg-type]
    except (ValueError, TypeError) as error:
        return {"why": str(error) or type(error).__name__}
    except BaseException as error:  # noqa: BLE001 - a __signature__ may raise anything
        return {"why": f"{type(error).__name__}: {error}"}
    return {
        "parameters": [
            {
                "name": p.name,
                "kind": p.kind.name,
                "default": None if p.default is p.empty else spell(p.default),
                "type": "" if p.annotation is p.empty else annotation(p.annotation),
            }
            for p in signature.parameters.values()
        ],
        "returns": ""
        if signature.return_annotation is signature.empty
        else annotation(signature.return_annotation),
    }


def _class(row: "dict[str, object]", cls: type) -> "list[dict[str, object]]":
    members = getattr(cls, "__members__", None)
    is_enum = isinstance(members, (dict, types.MappingProxyType)) and bool(members)
    row["kind"] = "enum" if is_enum or issubclass(cls, enum.Enum) else "class"
    row["traits"] = [
        f"base:{b.__module__}.{b.__qualname__}"
        for b in cls.__mro__[1:]
        if b is not object and b.__name__ != "pybind11_object"
    ]
    rows = [row]
    native = type(cls).__name__ == "pybind11_type"
    maker = next((k for k in cls.__mro__ if "__init__" in vars(k) or "__new__" in vars(k)), object)
    told = getattr(vars(cls).get("__init__"), "__doc__", None) or ""
    if native and "self: " in told:
        row.update(doc=told, method=True)
    elif native:
        row["no_signature"] = "it has no constructor"
    elif load.belongs(maker.__module__) or maker is object or is_enum:
        row.update(_inspect(cls))
    else:
        row["no_signature"] = f"its constructor is that of {maker.__module__}.{maker.__qualname__}"
    if is_enum:
        rows += [
            _member(row, name, "member", value=spell(getattr(member, "value", member)))
            for name, member in members.items()  # type: ignore[union-attr]
        ]
    rows += _members(row, cls, skip=set(members) if is_enum else set(), plain=is_enum)  # type: ignore[arg-type]
    return rows


def _member(row: "dict[str, object]", name: str, kind: str, **more: object) -> "dict[str, object]":
    return {
        "path": f"{row['path']}.{name}",
        "kind": kind,
        "group": f"{row['group']}.{name}",
        "canonical": name,
        **more,
    }


def _members(
    row: "dict[str, object]", cls: type, *, skip: "set[str]", plain: bool
) -> "list[dict[str, object]]":
    """Return a class's members; `plain` leaves out what every enum has."""
    found: dict[str, object] = {}
    for owner in reversed(cls.__mro__):
        if load.belongs(getattr(owner, "__module__", "") or ""):
            found.update(vars(owner))
    rows = []
    for name, value in sorted(found.items()):
        special = name.startswith("__") and name.endswith("__")
        if name in SILENT or name in skip or (name.startswith("_") and not special):
            continue
        if plain and (special or name in ("name", "value")):
            continue
        if special and not (inspect.isroutine(value) or isinstance(value, types.FunctionType)):
            continue
        rows.append(_describe_member(row, name, value))
    seen = {str(r["path"]).rpartition(".")[2] for r in rows} | skip
    set_later = [name for name in text.instance_attributes(cls) if name not in seen]
    return [*rows, *(_member(row, name, "attribute") for name in set_later)]


def _describe_member(row: "dict[str, object]", name: str, value: object) -> "dict[str, object]":
    if isinstance(value, property) or type(value).__name__ == "cached_property":
        getter = value.fget if isinstance(value, property) else None
        marks = ["settable"] if isinstance(value, property) and value.fset is not None else []
        return _member(
            row, name, "property", doc=getattr(getter, "__doc__", "") or "", traits=marks
        )
    if isinstance(value, (staticmethod, classmethod)) or type(value).__name__ == "pybind11_static":
        kind = "static" if isinstance(value, staticmethod) else "classmethod"
        inner = value.__func__  # type: ignore[attr-defined]
        facts = _method(inner)
        facts["traits"] = [*facts.pop("traits", []), kind]  # type: ignore[misc]
        return _member(row, name, "method", bound=kind == "classmethod", **facts)
    if inspect.isclass(value):
        return _member(row, name, "class", **_inspect(value))
    if inspect.isroutine(value) or isinstance(value, types.FunctionType):
        return _member(row, name, "method", bound=True, **_method(value))
    if type(value).__name__ in ("member_descriptor", "getset_descriptor", "_tuplegetter"):
        return _member(row, name, "attribute")
    return _member(row, name, "attribute", value=spell(value))


def _method(value: object) -> "dict[str, object]":
    if type(value) in (type(len), type(str.join)) or type(value).__name__ == "instancemethod":
        return {"doc": value.__doc__ or "", "traits": [], "method": True}
    return {**_inspect(value), "traits": traits(value)}


def traits(value: object) -> "list[str]":
    """Return what changes how a call is used, beside its arguments."""
    found = []
    if inspect.iscoroutinefunction(value):
        found.append("async")
    if inspect.isgeneratorfunction(value) or inspect.isasyncgenfunction(value):
        found.append("generator")
    return found


def annotation(value: object) -> str:
    """Return an annotation as it is written."""
    if isinstance(value, str):
        return value
    if isinstance(value, type) and not hasattr(value, "__args__"):
        module = value.__module__
        return value.__qualname__ if module == "builtins" else f"{module}.{value.__qualname__}"
    return ADDRESS.sub("", repr(value))


def spell(value: object) -> str:
    """Return a value's text, the same in every run."""
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"  # what str() gives differs by version
    if type(value) in SIMPLE:
        return repr(value)
    if type(value) in (tuple, list, set, frozenset, dict):
        return _container(value)
    if inspect.isclass(value) or inspect.isroutine(value):
        return f"<{value.__module__}.{value.__qualname__}>"
    try:
        spelled = ADDRESS.sub("", repr(value))
    except BaseException:  # noqa: BLE001 - a __repr__ may raise anything
        spelled = ""
    return spelled if 0 < len(spelled) < LONGEST else f"<{type(value).__name__}>"


def _container(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{spell(k)}: {spell(v)}" for k, v in value.items()) + "}"
    items = [spell(item) for item in value]  # type: ignore[attr-defined]
    if isinstance(value, list):
        return f"[{', '.join(items)}]"
    if isinstance(value, tuple):
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
    return "{" + ", ".join(sorted(items)) + "}"
