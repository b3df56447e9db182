"""Laws that hold for any two signatures."""

from hypothesis import given

from dgpin.api import parameters
from dgpin.api.change import Level
from dgpin.api.parameters import Comparable
from dgpin.api.rules import BY_ID
from dgpin.api.signature import Parameter, Signature
from tests.api.test_docstring import signatures


def rules(a: Signature, b: Signature, **how: bool) -> list[str]:
    """Return the rules that a move trips."""
    return [d.rule for d in parameters.compare(a, b, Comparable(**how))]


@given(signatures())
def test_itself(signature: Signature) -> None:
    """A signature does not differ from itself."""
    assert [] == rules(signature, signature)


@given(signatures(), signatures())
def test_all_rules_exist(a: Signature, b: Signature) -> None:
    """Whatever differs has a rule, and what differs in names or order is never silent."""
    tripped = rules(a, b)

    assert set(tripped) <= BY_ID.keys()
    names = [[(p.name, p.kind) for p in s.parameters] for s in (a, b)]
    assert names[0] == names[1] or tripped


@given(signatures(), signatures())
def test_quiet_means_binding(a: Signature, b: Signature) -> None:
    """If nothing breaks, every parameter that A takes by name, B takes by name."""
    levels = {BY_ID[rule].level for rule in rules(a, b)}

    assert Level.BREAKING in levels or set(a.named) <= set(b.named)
    assert Level.BREAKING in levels or len(a.positional) <= len(b.positional)
    assert Level.BREAKING in levels or {p.name for p in b.required} <= {p.name for p in a.required}


def sig(*names: str) -> Signature:
    """Return a signature of names; `x=1` has a default, `x:int` a type."""
    found = []
    for word in names:
        left, _, default = word.partition("=")
        name, _, kind = left.partition(":")
        found.append(Parameter(name=name, default=default or None, type=kind))
    return Signature(parameters=tuple(found))


def test_likeness_is_no_rename() -> None:
    """A parameter is renamed by its place: `situ_beta` is not `activation_beta`."""
    old = sig("a", "situ_beta=None", "situ_linear=None")
    new = sig("a", "activation_alpha=None", "activation_beta=None")
    renamed = {
        d.parameter: d.successor.name
        for d in parameters.compare(old, new, Comparable())
        if d.successor is not None
    }

    assert {"situ_beta": "activation_alpha", "situ_linear": "activation_beta"} == renamed


def test_blocks_of_other_length() -> None:
    """Where blocks have another length, nothing is said to be renamed."""
    assert ["parameter-removed", "parameter-removed", "parameter-added"] == rules(
        sig("a", "x=1", "y=1"), sig("a", "z=1")
    )


def test_silence() -> None:
    """An inserted parameter is silent where the types accept each other, and loud where not."""
    quiet = next(
        iter(
            parameters.compare(
                sig("a", "f:bool=False"), sig("a", "n:int=0", "f:bool=False"), Comparable()
            )
        )
    )
    loud = next(
        iter(
            parameters.compare(
                sig("a", "f:str='x'"), sig("a", "n:int=0", "f:str='x'"), Comparable()
            )
        )
    )

    assert (True, False) == (quiet.silent, loud.silent)


def test_types_are_not_compared_across_toolchains() -> None:
    """What two toolchains spell apart is no change."""
    assert [] == rules(sig("a:int"), sig("a:SupportsInt"), types=False)
    assert ["annotation-changed"] == rules(sig("a:int"), sig("a:str"))
    assert ["type-narrowed"] == rules(sig("a:int"), sig("a:str"), enforced=True)
