"""Checks are dealt to processes: none twice, none lost, families together, faults apart."""

from hypothesis import given, settings
from hypothesis import strategies as st

from dgpin.smoke.case import Check
from dgpin.smoke.runner import deal


def _check(at: int, family: str, seconds: float, risky: bool) -> Check:
    return Check(
        id=f"c{at}", guards="x", call="x", reference="x", arches=("sm_90",), limit=1e-6,
        family=family, seconds=seconds, may_fault=risky,
    )  # fmt: skip


HANDS = st.lists(
    st.tuples(st.sampled_from(["", "a", "b"]), st.floats(0.1, 10), st.booleans()), max_size=30
)


@settings(deadline=None)
@given(HANDS, st.integers(1, 8))
def test_deal(drawn: list[tuple[str, float, bool]], shards: int) -> None:
    """Whatever the checks are, the deal keeps its laws."""
    checks = [_check(at, *each) for at, each in enumerate(drawn)]
    hands = deal(checks, shards)

    assert sorted(c.id for c in checks) == sorted(c.id for hand in hands for c in hand)
    assert len(hands) <= shards
    for family in ("a", "b"):
        together = [c.family == family and not c.may_fault for hand in hands for c in hand]
        at = [n for n, hand in enumerate(hands) for c in hand]
        assert len({n for n, same in zip(at, together, strict=True) if same}) <= 1
    risks = [sum(c.may_fault for c in hand) for hand in hands]
    assert max(risks) - min(risks) <= 1
    for hand in hands:
        risky = [check.may_fault for check in hand]
        assert sorted(risky) == risky
