"""Small surfaces, written down: the two builds that `every_use` moves between."""

from dgpin.api.signature import Parameter, ParameterKind, Signature
from dgpin.api.surface import Binding, Identity, Kind, Origin, Surface, Symbol

_ORIGINS = {
    Binding.PYTHON: Origin.INSPECT,
    Binding.PYBIND11: Origin.DOCSTRING,
    Binding.TORCH: Origin.SCHEMA,
}


def parameter(text: str) -> Parameter:
    """Return a parameter from `name`, `name: type`, `name=default` or all of it."""
    left, _, default = text.partition("=")
    name, _, kind = left.partition(":")
    return Parameter(name=name.strip(), type=kind.strip(), default=default.strip() or None)


def signature(*texts: str, returns: str = "") -> Signature:
    """Return a signature; `*` makes what follows keyword-only, `**name` takes any keyword."""
    found: list[Parameter] = []
    kind = ParameterKind.POSITIONAL_OR_KEYWORD
    for text in texts:
        if text == "*":
            kind = ParameterKind.KEYWORD_ONLY
        elif text.startswith("**"):
            found.append(Parameter(name=text[2:], kind=ParameterKind.VAR_KEYWORD))
        else:
            made = parameter(text)
            found.append(Parameter(name=made.name, type=made.type, default=made.default, kind=kind))
    return Signature(parameters=tuple(found), returns=returns)


def function(
    path: str, *texts: str, binding: Binding = Binding.PYBIND11, identity: str = ""
) -> Symbol:
    """Return a function of the API."""
    return Symbol(
        path=f"deep_gemm.{path}",
        kind=Kind.FUNCTION,
        binding=binding,
        identity=identity or path,
        canonical=path.rpartition(".")[2],
        origin=_ORIGINS[binding],
        signatures=(signature(*texts),),
    )


def other(path: str, kind: Kind, *texts: str) -> Symbol:
    """Return a module, class, member or constant of the API; Python made it."""
    called = kind in {Kind.CLASS, Kind.METHOD}
    return Symbol(
        path=f"deep_gemm.{path}",
        kind=kind,
        binding=Binding.PYTHON,
        identity=path,
        origin=Origin.INSPECT if called else Origin.NONE,
        signatures=(signature(*texts),) if called else (),
    )


def surface(*symbols: Symbol, label: str = "build") -> Surface:
    """Return a surface of symbols."""
    return Surface(
        build=Identity(label=label, digest=label),
        symbols=tuple(sorted(symbols, key=lambda s: s.path)),
    )


def moved(binding: Binding) -> tuple[Surface, Surface]:
    """Return A and B: every kind of change that a use can meet, by one binding."""

    def f(path: str, *texts: str, identity: str = "") -> Symbol:
        return function(path, *texts, binding=binding, identity=identity)

    shared = (
        other("utils", Kind.MODULE),
        other("utils.math", Kind.MODULE),
        other("SymmBuffer", Kind.CLASS, "group"),
        other("SymmBuffer.x", Kind.ATTRIBUTE),
        other("LIMIT", Kind.CONSTANT),
        f("kept", "a", "b", "c=None"),
        f("utils.math.cast", "x"),
        f("unfitting", "a", "b"),
    )
    raw = Symbol(
        path="torch.ops.deep_gemm.raw",
        kind=Kind.OPERATOR,
        binding=Binding.TORCH,
        identity="raw",
        origin=Origin.SCHEMA,
        signatures=(signature("a"),),
    )
    a = surface(
        *shared,
        raw,
        other("utils.extra", Kind.MODULE),
        other("SymmBuffer.destroy", Kind.METHOD),
        f("utils.extra.thing"),
        f("gone", "a"),
        f("old_name", "a", identity="name"),
        f("new_name", "a", identity="name"),
        f("lost_keyword", "a", "fast: bool=False"),
        f("needs_more", "a", "b=None"),
        f("renamed_keyword", "a", "m_indices"),
        f("inserted", "a", "flag: bool=False"),
        f("other_default", "a", "mode='a'"),
        f("appended", "a"),
        function("by_python", "a", "fast=False", binding=Binding.PYTHON),
        label="A",
    )
    b = surface(
        *shared,
        raw,
        f("new_name", "a", identity="name"),
        f("lost_keyword", "a"),
        f("needs_more", "a", "b"),
        f("renamed_keyword", "a", "grouped_layout"),
        f("inserted", "a", "count: int=0", "flag: bool=False"),
        f("other_default", "a", "mode='b'"),
        f("appended", "a", "extra=None"),
        function("by_python", "a", binding=Binding.PYTHON),
        label="B",
    )
    return a, b
