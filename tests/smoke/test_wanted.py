"""What a build must have, told by the uses of a host."""

import json
from dataclasses import asdict, replace

from dgpin.api.uses import (
    Argument,
    Arguments,
    Consumer,
    Form,
    Guard,
    Keyword,
    Outcome,
    Scan,
    Target,
    Then,
    Use,
)
from dgpin.smoke import host_needs, wanted
from dgpin.smoke.wanted import Wanted
from dgpin.verdict import Place

HERE = Place("host.py", 1)


def use(
    *names: str,
    form: Form = Form.CALL,
    words: tuple[str, ...] = (),
    guards: tuple[Guard, ...] = (),
    consumers: tuple[Consumer, ...] = (),
    absent: Outcome | None = None,
    in_test: bool = False,
) -> Use:
    """Return a use of the first of these names that is there."""
    keywords = tuple(Keyword(name=word, argument=Argument(text="x")) for word in words)
    return Use(
        form=form,
        targets=tuple(Target(path=f"deep_gemm.{name}", place=HERE) for name in names),
        place=HERE,
        end_line=1,
        line="",
        arguments=Arguments(keywords=keywords),
        guards=guards,
        consumers=consumers,
        absent=absent,
        in_test=in_test,
    )


def needs(*uses: Use) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Return the names and the keywords that these uses need."""
    found = host_needs.needs(Scan(uses=uses), host="h")
    return tuple(each.spellings for each in found.functions), found.keywords


def test_called() -> None:
    """What is called is needed, in either spelling, with what it is given by name."""
    assert ((("new", "old"),), ("recipe",)) == needs(use("new", "old", words=("recipe",)))


def test_raising() -> None:
    """A name whose absence raises is needed."""
    assert ((("f",),), ()) == needs(use("f", absent=Outcome(then=Then.RAISES)))


def test_done_without() -> None:
    """A name that the host asks for, or can do without, is not needed; nor what its tests use."""
    asks = Consumer(place=HERE, function="", line="", outcome=Outcome(then=Then.RETURNS))

    assert ((), ()) == needs(
        use("a", form=Form.HASATTR),
        use("a"),
        use("b", form=Form.GETATTR, consumers=(asks,)),
        use("b"),
        use("c", absent=Outcome(then=Then.GOES_ON)),
        use("d", in_test=True),
    )


def test_asked_keyword() -> None:
    """A keyword that the host asks the function about first is not needed."""
    guard = Guard(path="deep_gemm.f", place=HERE, parameter="indices")

    assert ((("f",),), ("k",)) == needs(use("f", words=("indices", "k"), guards=(guard,)))


def test_keyword_of_its_function() -> None:
    """A keyword is wanted of the function that it is passed to, from whichever place."""
    found = host_needs.needs(
        Scan(uses=(use("f", words=("b",)), use("g", words=("c",)), use("f", words=("a",)))),
        host="h",
    )

    assert (
        Wanted(spellings=("f",), keywords=("a", "b")),
        Wanted(spellings=("g",), keywords=("c",)),
    ) == found.functions


def test_optional() -> None:
    """What the host asks for first, and can do without, is told as optional."""
    found = host_needs.needs(Scan(uses=(use("a", form=Form.HASATTR), use("a"))), host="h")

    assert ((), ("a",)) == (found.functions, found.optional)


def test_module() -> None:
    """A name inside a module keeps its path; the package itself is no name."""
    assert ((("utils.f",),), ()) == needs(use("utils.f"), package())


def package() -> Use:
    """Return an import of the package itself."""
    target = Target(path="deep_gemm", place=HERE)
    return replace(use("x", form=Form.IMPORT), targets=(target,), arguments=None)


def test_later_leg() -> None:
    """`a or b` reads b only where a is not there: that is one need with two spellings."""
    assert ((("a", "b"),), ()) == needs(use("a", "b"), use("b", form=Form.READ))


def test_through_json() -> None:
    """Needs reach the interpreter under test as they are."""
    told = json.loads(json.dumps(asdict(wanted.VLLM)))

    assert wanted.VLLM == wanted.from_json(told)
