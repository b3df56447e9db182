"""`dgpin.toml` is read once, strictly, and every fault names its table."""

import pytest

from dgpin import config
from dgpin.config import ConfigError

SITES = "[sites]\n\"f\" = 'V=<commit>'\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "has no [sites]"),
        ("[sites", "is not TOML"),
        (SITES + "[pins]\n", "`pins`, which dgpin does not know"),
        (SITES + "[pin]\nref = 1\n", "[pin] holds `ref`"),
        (SITES + "[pin]\nrepo = 1\n", "`pin.repo` must be a text"),
        (SITES + "[pin]\nforks = 'x'\n", "`pin.forks` must be a list of texts"),
        (
            SITES + "[pin]\nneeds = ['']\n",
            "`pin.needs` must be a list of texts, none of them empty",
        ),
        ("[sites]\n\"f\\u0000\" = 'V=<commit>'\n", "leaves the host"),
        (SITES + "[hold]\n", "[hold] needs a `reason`"),
        (SITES + "[[allow]]\nname = 'x'\n", "needs a `name` and a `reason`"),
        (
            SITES + "[[allow]]\nname = 'x'\nreason = 'y'\nexpires = 'soon'\n",
            "`allow` x: 'soon' is no day; write it as 2027-01-31",
        ),
        (
            SITES + "[carry]\naccept = [{ name = 'x', reason = 'y', expires = 7 }]\n",
            "`carry.accept` x: '7' is no day",
        ),
        ("pin = 1\n" + SITES, "`pin` must be a table"),
        ("[sites]\n\"../f\" = 'V=<commit>'\n", "`../f` leaves the host"),
        ("[sites]\n\"/etc/f\" = 'V=<commit>'\n", "`/etc/f` leaves the host"),
        (
            '[sites]\n"f" = 1\n',
            "an entry is a text or a table of at, each, in, many, optional, watch",
        ),
        ("[sites]\n\"f\" = { at = 'x', each = 'y' }\n", "either `at` or `each`"),
        ("[sites]\n\"f\" = { each = 'y' }\n", "needs a scope"),
        ("[sites]\n\"f\" = { at = 'y', often = true }\n", "`often`"),
        ("[sites]\n\"f\" = { at = 'y', many = 1 }\n", "must be true or false"),
        ("[watch]\n\"f\" = 'V=<commit>'\n", "has no [sites]"),
    ],
)
def test_a_fault_is_named(text: str, says: str) -> None:
    """Each says what is wrong, and where."""
    with pytest.raises(ConfigError) as caught:
        config.parse(text, source="dgpin.toml")

    assert says in str(caught.value)
    assert str(caught.value).startswith("dgpin.toml: ")


def test_every_table_has_its_values() -> None:
    """What the file says is what the Config holds."""
    parsed = config.parse(
        """\
        [pin]
        repo = "https://h/a/B.git"
        follow = "dev"
        forks = ["https://h/c/B.git"]
        needs = ["x.py", "setup.py: limited = True"]
        [sites]
        "f?" = { at = 'V=<commit>', many = true }
        [watch]
        "g" = 'W=<version>'
        [hold]
        reason = "waits"
        until = "2027"
        [[allow]]
        name = "x"
        reason = "why"
        expires = 2027-01-01
        [smoke]
        expect = ["next_n4"]
        """,
        source="s",
    )

    site, watched = parsed.entries
    assert (parsed.repo, parsed.branch("any")) == ("https://h/a/B", "dev")
    assert parsed.forks == ("https://h/c/B",)
    assert [str(need) for need in parsed.needs] == ["x.py", "setup.py: limited = True"]
    assert (site.path, site.file_optional, site.many, site.watch) == ("f", True, True, False)
    assert watched.watch
    assert (parsed.hold is not None, parsed.allow[0].expires) == (True, "2027-01-01")
    assert parsed.smoke == {"expect": ["next_n4"]}


def test_each_repository_may_have_its_branch() -> None:
    """`follow` can name one branch for each repository."""
    parsed = config.parse('[pin]\nfollow = { "https://h/a/B.git" = "dev" }\n' + SITES, source="s")

    assert [parsed.branch(repo) for repo in ("https://h/a/B", "https://h/c/B", None)] == [
        "dev",
        None,
        None,
    ]
