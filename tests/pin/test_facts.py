"""Facts in the cache, by commit."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgpin import cache
from dgpin.pin.facts import SCHEMA, Fact, Facts, from_json, load, store, to_json
from dgpin.verdict import Place

COMMIT = "0123456789abcdef0123456789abcdef01234567"
FACTS = Facts(
    commit=COMMIT,
    facts={
        "cxx_std": Fact(name="cxx_std", value="20", origin=(Place("setup.py", 3),)),
        "arches": Fact(name="arches", value=("sm_90", "sm_100"), origin=(Place("a"), Place("b"))),
        "libraries": Fact(name="libraries", value=()),
    },
    unknown={"gcc_min": "a condition"},
)
ENTRY = to_json(FACTS)


def test_round_trip() -> None:
    """What was stored is what is loaded."""
    store(FACTS)

    assert FACTS == load(COMMIT)


def test_nothing_stored() -> None:
    """A commit of which nothing was derived has no facts."""
    assert load(COMMIT) is None


@pytest.mark.parametrize("commit", ["", "../../etc/passwd", "ad1f1726", COMMIT.upper(), "main"])
def test_only_whole_commits(commit: str) -> None:
    """Only a whole commit names an entry."""
    store(Facts(commit=commit, facts={}))

    assert load(commit) is None
    assert [] == list(cache.root().rglob("*.json"))


def test_incomplete_facts_are_not_kept() -> None:
    """Facts that lack a submodule's files would be others tomorrow."""
    store(Facts(commit=COMMIT, facts=FACTS.facts, missing=("third-party/cutlass",)))

    assert load(COMMIT) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"schema": 0}',
        json.dumps(ENTRY | {"commit": "0" * 40}),
        json.dumps(ENTRY | {"schema": SCHEMA + 1}),
        json.dumps(ENTRY | {"facts": []}),
        json.dumps(ENTRY | {"facts": {"arches": "sm_90"}}),
        json.dumps({name: value for name, value in ENTRY.items() if name != "missing"}),
    ],
)
def test_damaged_entry(text: str) -> None:
    """An entry that is damaged, of another schema or of another commit counts as absent."""
    store(FACTS)
    [entry] = cache.root().rglob("*.json")
    Path(entry).write_text(text)

    assert load(COMMIT) is None


def test_reading() -> None:
    """Scalars and lists are told apart, and an item knows its line."""
    assert "20" == FACTS.scalar("cxx_std")
    assert None is FACTS.scalar("arches")
    assert ("sm_90", "sm_100") == FACTS.items("arches")
    assert () == FACTS.items("cxx_std")
    assert Place("b") == FACTS.place("arches", "sm_100")
    assert None is FACTS.place("arches", "sm_120")
    assert (Place("setup.py", 3),) == FACTS.origin("cxx_std")
    assert () == FACTS.origin("nothing")


TEXT = st.text(max_size=8)
PLACES = st.lists(st.builds(Place, TEXT, st.integers(0, 9))).map(tuple)


@given(
    st.dictionaries(TEXT, st.tuples(st.one_of(TEXT, st.lists(TEXT).map(tuple)), PLACES)),
    st.dictionaries(TEXT, TEXT),
    st.lists(TEXT).map(tuple),
)
def test_any_facts(
    facts: dict[str, tuple[str | tuple[str, ...], tuple[Place, ...]]],
    unknown: dict[str, str],
    missing: tuple[str, ...],
) -> None:
    """Any facts survive JSON."""
    every = Facts(
        commit=COMMIT,
        facts={
            name: Fact(name=name, value=value, origin=origin)
            for name, (value, origin) in facts.items()
        },
        unknown=unknown,
        missing=missing,
    )

    assert every == from_json(to_json(every))
