"""The halving of a history, without a repository."""

from hypothesis import given
from hypothesis import strategies as st

from dgpin.smoke.suspects import Answer, Suspects

LINE = {str(at): ((str(at - 1),) if at else ()) for at in range(8)}


def found(suspects: Suspects, first: str, *, unknown: frozenset[str] = frozenset()) -> Suspects:
    """Search a history in which whatever has `first` behind it, or is it, is bad."""
    behind: dict[str, set[str]] = {}
    for commit, parents in suspects.parents.items():
        behind[commit] = {commit}.union(*(behind[parent] for parent in parents))
    while (tried := suspects.next()) is not None:
        bad = Answer.BAD if first in behind[tried] else Answer.GOOD
        suspects = suspects.told(tried, Answer.SKIPPED if tried in unknown else bad)
    return suspects


def test_line() -> None:
    """Of eight commits in a line, the first bad one is found in three tries, wherever it is."""
    ends = [found(Suspects(parents=LINE, bad="7"), str(at)) for at in range(8)]

    assert [(str(at),) for at in range(8)] == [end.left() for end in ends]
    assert {"3"} == {Suspects(parents=LINE, bad="7").next()}


def test_skipped() -> None:
    """Commits that cannot be tried are all named when the first bad one may be any of them."""
    end = found(Suspects(parents=LINE, bad="7"), "4", unknown=frozenset({"3", "4"}))

    assert ("3", "4", "5") == end.left()


def test_side_branch() -> None:
    """A commit of a merged side branch is found, as the whole graph is searched."""
    graph: dict[str, tuple[str, ...]] = {
        "a": (),
        "b": ("a",),
        "s1": ("a",),
        "s2": ("s1",),
        "m": ("b", "s2"),
        "z": ("m",),
    }

    assert ("s1",) == found(Suspects(parents=graph, bad="z"), "s1").left()


@given(st.data())
def test_any_graph(data: st.DataObject) -> None:
    """In any history, whatever is skipped, the first bad commit is among those that are left."""
    count = data.draw(st.integers(1, 12))
    graph: dict[str, tuple[str, ...]] = {}
    for at in range(count):
        most = st.sets(st.integers(0, at - 1), min_size=1, max_size=2) if at else st.just(set())
        graph[str(at)] = tuple(map(str, sorted(data.draw(most))))
    last = str(count - 1)
    reached = {last}
    for commit in reversed(list(graph)):
        if commit in reached:
            reached |= set(graph[commit])
    first = data.draw(st.sampled_from(sorted(reached)))
    unknown = data.draw(st.sets(st.sampled_from(sorted(reached))))

    left = found(Suspects(parents=graph, bad=last), first, unknown=frozenset(unknown)).left()

    assert first in left
    assert unknown or (first,) == left
