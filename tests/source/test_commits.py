"""How git's answers become commits."""

from dgpin.source import commits
from dgpin.source.commits import Commit, Distance


def test_parse() -> None:
    """Each commit keeps its order, author, date and subject."""
    listed = (
        f"commit {'a' * 40}\nAda\x1f2026-01-02T03:04:05+00:00\x1fFix the bound\n"
        f"commit {'b' * 40}\nBob\x1f2026-01-01T00:00:00-07:00\x1f\n"
    )

    assert (
        Commit(
            sha="a" * 40, author="Ada", date="2026-01-02T03:04:05+00:00", subject="Fix the bound"
        ),
        Commit(sha="b" * 40, author="Bob", date="2026-01-01T00:00:00-07:00", subject=""),
    ) == commits.parse(listed)


def test_subject_cannot_drive_a_terminal() -> None:
    """Control characters of a stranger's subject are not shown."""
    (found,) = commits.parse(f"commit {'a' * 40}\nA\x1fd\x1fx\x1b[2Jy\x1fz")

    assert "x?[2Jy?z" == found.subject


def test_distance() -> None:
    """The left count of `since...commit` is what the commit lacks."""
    assert Distance(ahead=7, behind=2) == commits.distance("2\t7\n")
