"""Try pieces of host code against one build, without running any of its functions.

A script: `python -I -B call.py ANSWER ROOT now|lazy TRIALS`. Python functions and torch ops are
bound by their signatures. A pybind11 function is called with one argument that no conversion
takes: it says whether its conversion was tried, so whether the arguments had been matched.
"""

import importlib
import inspect
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

if not __package__:
    # Started as a script with -I, which keeps its own directory off sys.path.
    __package__ = "dgpin_probe"
    sys.modules[__package__] = ModuleType(__package__)
    sys.modules[__package__].__path__ = [str(Path(__file__).resolve().parent)]
from . import load, text


class Refusing:
    """An argument that every conversion refuses, and that remembers being asked."""

    def __init__(self) -> None:
        self.touched = False

    def _refuse(self, *_: object) -> int:
        self.touched = True
        raise TypeError

    __index__ = __int__ = __float__ = __bool__ = __len__ = _refuse
    __getitem__ = __iter__ = __complex__ = _refuse

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """Asked for by PyObject_IsInstance, which is how torch recognises a tensor."""
        self.touched = True
        return object


def find(path: str) -> object:
    """Return what a dotted path leads to.

    Raises:
        AttributeError: it leads nowhere.
    """
    words = path.split(".")
    value: object = importlib.import_module(words[0])
    for index, word in enumerate(words[1:], start=2):
        name = ".".join(words[:index])
        is_package = not hasattr(value, word) and hasattr(value, "__path__")
        if is_package and importlib.util.find_spec(name) is not None:
            importlib.import_module(name)
        value = getattr(value, word)
    return value


class Trials:
    """What can be asked of a build."""

    def __init__(self, torch: ModuleType) -> None:
        self.torch = torch
        self.asks: dict[str, Callable[[dict[str, object]], str]] = {
            "see": self.see,
            "attribute": self.attribute,
            "kind": self.kind,
            "base": self.base,
            "calling": self.calling,
            "settable": self.settable,
            "python": self.python,
            "pybind11": self.pybind11,
            "torch": self.op,
        }

    def answer(self, trial: "dict[str, object]") -> "dict[str, str]":
        """Answer one trial: `ok` with what was seen, or `raises` with the error."""
        try:
            return {"ok": self.asks[str(trial["how"])](trial)}
        except Exception as error:  # noqa: BLE001 - the error is the answer
            first = (str(error).strip() or "no message").splitlines()[0]
            # pybind11 goes on with every overload that there is.
            first = first.partition(". The following argument types")[0]
            return {"raises": f"{type(error).__name__}: {first}"}

    def see(self, trial: "dict[str, object]") -> str:
        """Look a name up."""
        find(str(trial["path"]))
        return "is there"

    def attribute(self, trial: "dict[str, object]") -> str:
        """Say whether a class has an attribute, or its constructor sets it."""
        path, _, name = str(trial["path"]).rpartition(".")
        owner = find(path)
        if name in text.instance_attributes(owner):  # type: ignore[arg-type]
            return "is set by the constructor"
        getattr(owner, name)
        return "is there"

    def kind(self, trial: "dict[str, object]") -> str:
        """Say what a name stands for."""
        value = find(str(trial["path"]))
        if inspect.isclass(value):
            return "a class"
        return "something to call" if callable(value) else f"a {type(value).__name__}"

    def base(self, trial: "dict[str, object]") -> str:
        """Say whether a class derives from another, named by module and name."""
        value = find(str(trial["path"]))
        names = [f"{b.__module__}.{b.__qualname__}" for b in value.__mro__]  # type: ignore[attr-defined]
        return str(trial["base"] in names)

    def calling(self, trial: "dict[str, object]") -> str:
        """Say how a function wants to be used."""
        path = str(trial["path"])
        value = find(path)
        owner = find(path.rpartition(".")[0])
        raw = inspect.getattr_static(owner, path.rpartition(".")[2], value)
        if isinstance(raw, (staticmethod, classmethod)):
            return type(raw).__name__
        if inspect.iscoroutinefunction(value):
            return "async"
        if inspect.isgeneratorfunction(value) or inspect.isasyncgenfunction(value):
            return "a generator"
        if not callable(value):
            return f"a {type(value).__name__}, launched with [grid]"
        return "called"

    def settable(self, trial: "dict[str, object]") -> str:
        """Say whether a property can be set."""
        owner, _, name = str(trial["path"]).rpartition(".")
        value = inspect.getattr_static(find(owner), name)
        return "can be set" if getattr(value, "fset", None) is not None else "cannot be set"

    def python(self, trial: "dict[str, object]") -> str:
        """Bind a call to a Python signature, and tell what each argument became."""
        path = str(trial["path"])
        value = find(path)
        while type(value).__module__.split(".")[0] == "triton" and hasattr(value, "fn"):
            value = value.fn
        args = [item["label"] for item in trial["args"]]  # type: ignore[attr-defined]
        kwargs = {k: item["label"] for k, item in trial["kwargs"].items()}  # type: ignore[attr-defined]
        raw = inspect.getattr_static(find(path.rpartition(".")[0]), path.rpartition(".")[2], None)
        if trial["method"] and not isinstance(raw, (staticmethod, classmethod)):
            args = ["self", *args]
        bound = inspect.signature(value).bind(*args, **kwargs)  # type: ignore[arg-type]
        return told({k: v for k, v in bound.arguments.items() if v != "self"})

    def op(self, trial: "dict[str, object]") -> str:
        """Bind a call to the schemas of a torch op."""
        name = str(trial["op"])
        every = self.torch._C._jit_get_all_schemas()  # noqa: SLF001 - there is no public list
        schemas = [s for s in every if s.name == name]
        if not schemas:
            raise AttributeError(f"there is no op {name}")
        bound = [bind_schema(schema, trial) for schema in schemas]
        taken = next((b for b in bound if isinstance(b, dict)), None)
        if taken is None:
            # torch raises this type where Python and pybind11 raise TypeError.
            raise RuntimeError(bound[0])
        return told(taken)

    def pybind11(self, trial: "dict[str, object]") -> str:
        """Call with one argument that is refused, and tell whether matching got that far."""
        value = find(str(trial["path"]))
        poison = Refusing()
        args = [self.value(item, poison) for item in trial["args"]]  # type: ignore[attr-defined]
        kwargs = {k: self.value(v, poison) for k, v in trial["kwargs"].items()}  # type: ignore[attr-defined]
        if not any(v is poison for v in [*args, *kwargs.values()]):
            raise LookupError("no argument that would be refused: the call might run")
        if trial["method"]:
            owner = find(str(trial["path"]).rpartition(".")[0])
            args.insert(0, owner.__new__(owner))  # type: ignore[arg-type]
        try:
            value(*args, **kwargs)  # type: ignore[operator]
        except TypeError:
            if poison.touched:
                return "the arguments are matched"
            raise
        raise LookupError("the call went through, though an argument was to be refused")

    def value(self, item: "dict[str, object]", poison: Refusing) -> object:
        """Return the value that an argument's description stands for."""
        kind = item["value"]
        if kind == "poison":
            return poison
        if isinstance(kind, list):
            return tuple(self.value({"value": inner}, poison) for inner in kind)
        simple = {"str": "", "int": 0, "float": 0.0, "bool": False, "sequence": [], "none": None}
        if kind in simple:
            return simple[str(kind)]
        if kind == "dtype":
            return self.torch.float32
        return self.torch.empty(0) if kind == "tensor" else None


NONE_PASSES = ("OptionalType", "NoneType", "AnyType")


def bind_schema(schema: object, trial: "dict[str, object]") -> "dict[str, object] | str":
    """Return which argument each parameter of an op gets, or why the call does not bind."""
    parameters = list(schema.arguments)  # type: ignore[attr-defined]
    places = [p for p in parameters if not p.kwarg_only]
    args = [item["label"] for item in trial["args"]]  # type: ignore[attr-defined]
    if len(args) > len(places):
        return f"expected at most {len(places)} argument(s), received {len(args)}"
    bound = {p.name: arg for p, arg in zip(places, args)}  # noqa: B905 - also for Python 3.9
    for name, item in trial["kwargs"].items():  # type: ignore[attr-defined]
        if name in bound or name not in [p.name for p in parameters]:
            return f"unknown keyword argument '{name}'"
        bound[name] = item["label"]
    for p in parameters:
        if p.name not in bound and not p.has_default_value():
            return f"missing value for argument '{p.name}'"
    for p, item in zip(places, trial["args"]):  # type: ignore[call-overload] # noqa: B905
        if item["value"] == "none" and p.type.kind() not in NONE_PASSES:
            return f"expected a value of type '{p.type}' for argument '{p.name}', found None"
    return bound


def told(bound: "dict[str, object]") -> str:
    """Return what each argument became, where that is not its own name."""
    flat = {
        k: ", ".join(map(str, v)) if isinstance(v, (tuple, dict)) else str(v)
        for k, v in bound.items()
    }
    other = [f"{v} as `{k}`" for k, v in flat.items() if v != k]
    return "binds" + (f", {', '.join(other)}" if other else "")


def main(argv: "list[str]") -> None:
    """Load, try each, answer; the answer grows, so that one that crashes is known."""
    path, root, mode, trials = argv
    answer = load.Answer(path)
    torch, _ = load.load(root, lazy=mode == "lazy", answer=answer)
    known = json.loads(Path(path).read_text(encoding="utf-8")) if Path(path).exists() else []
    tried = Trials(torch)
    for trial in json.loads(Path(trials).read_text(encoding="utf-8"))[len(known) :]:
        known.append({"raises": "the process died"})
        answer.write(known)
        known[-1] = tried.answer(trial)
    answer.write(known)
    os._exit(0)


main(sys.argv[1:])
