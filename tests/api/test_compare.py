"""Laws that hold for any two surfaces."""

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from dgpin.api import compare, docstring, surface
from dgpin.api.change import Change, Comparison, Level
from dgpin.api.surface import Binding, Identity, Kind, Origin, Surface, Symbol, Unreadable
from tests.api.surfaces import function

NAMES = st.sampled_from(["f", "g", "gemm_nt", "gemm_nn", "quantize", "LIMIT"])
PLACES = st.sampled_from(["deep_gemm", "deep_gemm.utils", "deep_gemm._C"])
SIGNATURES = tuple(
    docstring.parse(f"f{text}")[0]
    for text in ("(a)", "(rows, scale=1)", "(rows, scale=2)", "(rows, *, fast=False)", "(x, y, z)")
)
GONE = {
    "symbol-removed",
    "symbol-renamed",
    "alias-removed",
    "symbol-moved",
    "constant-removed",
    "module-removed",
}


@st.composite
def surfaces(draw: st.DrawFn) -> Surface:
    """Draw a small surface with aliases."""
    paths = draw(st.sets(st.tuples(PLACES, NAMES), max_size=6))
    objects = draw(st.permutations(SIGNATURES))
    found = []
    for place, name in sorted(paths):
        index = draw(st.integers(0, 2))
        found.append(
            Symbol(
                path=f"{place}.{name}",
                kind=Kind.FUNCTION,
                binding=Binding.PYTHON,
                identity=f"object {index}",
                canonical=draw(NAMES),
                origin=Origin.INSPECT,
                signatures=(objects[index],),
            )
        )
    return Surface(build=Identity(label="drawn", digest=""), symbols=tuple(found))


def gone(found: Comparison) -> set[str]:
    """Return the names that a move takes away."""
    return {name for c in found.changes if c.rule in GONE for name in c.names}


def new(found: Comparison) -> set[str]:
    """Return the names that a move brings, those of heirs among them."""
    here = {name for c in found.changes if c.rule == "symbol-added" for name in c.names}
    return here | {name for c in found.changes for name in _heirs(found, c)}


def _heirs(found: Comparison, change: Change) -> set[str]:
    if change.successor is None or change.rule not in GONE:
        return set()
    names = {s.path for s in found.b.names(found.b.by_path[change.successor.name])}
    last = change.successor.name.rpartition(".")[2]
    return {n for n in names if n.rpartition(".")[2] == last} - found.a.by_path.keys()


@given(surfaces())
def test_itself(one: Surface) -> None:
    """A surface does not differ from itself."""
    assert () == compare.compare(one, one).changes


@given(surfaces(), surfaces())
def test_back(a: Surface, b: Surface) -> None:
    """What one way adds, the other way removes, and nothing is forgotten."""
    there, back = compare.compare(a, b), compare.compare(b, a)

    assert gone(there) == a.by_path.keys() - b.by_path.keys()
    assert gone(back) == b.by_path.keys() - a.by_path.keys()
    assert new(there) <= gone(back)
    assert new(back) <= gone(there)


@given(surfaces(), surfaces())
def test_once(a: Surface, b: Surface) -> None:
    """No name has two findings of one rule about one parameter."""
    rows = [
        (c.rule, name, c.parameter, c.detail)
        for c in compare.compare(a, b).changes
        for name in c.names
    ]

    assert len(rows) == len(set(rows))


@given(surfaces(), surfaces())
def test_order(a: Surface, b: Surface) -> None:
    """The public ones come first, and in each section the worst."""
    levels = list(Level)
    keys = [(c.private, levels.index(c.level)) for c in compare.compare(a, b).changes]

    assert sorted(keys) == keys


@given(surfaces())
def test_json(one: Surface) -> None:
    """A surface survives its JSON."""
    assert one == surface.from_json(json.loads(json.dumps(surface.to_json(one))))


@given(surfaces(), surfaces())
def test_unreadable_is_never_removed(a: Surface, b: Surface) -> None:
    """What B could not read is not said to be gone."""
    blind = Surface(
        build=b.build,
        symbols=tuple(s for s in b.symbols if not s.path.startswith("deep_gemm.utils.")),
        unreadable=(Unreadable(path="deep_gemm.utils", reason="it does not import"),),
    )

    assert not {n for n in gone(compare.compare(a, blind)) if n.startswith("deep_gemm.utils")}


def test_what_an_unreadable_module_exports_is_never_removed() -> None:
    """A name goes with the module that its object was made in, wherever it is exported."""
    made = replace(function("deep_gemm.f", "a"), identity="deep_gemm.legacy.kernels:f")
    a = Surface(build=Identity(label="a", digest=""), symbols=(made,))
    unread = Unreadable(path="deep_gemm.legacy", reason="it does not import")
    b = Surface(build=Identity(label="b", digest=""), symbols=(), unreadable=(unread,))

    assert () == compare.compare(a, b).changes
