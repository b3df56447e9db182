"""Which repository addresses git may see, and how they are shown."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgpin.errors import UsageError
from dgpin.source import address


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("https://github.com/deepseek-ai/DeepGEMM", "deepseek-ai/DeepGEMM"),
        ("https://github.com/deepseek-ai/DeepGEMM.git", "deepseek-ai/DeepGEMM"),
        ("https://GitHub.com/deepseek-ai/DeepGEMM/", "deepseek-ai/DeepGEMM"),
        ("git@github.com:deepseek-ai/DeepGEMM.git", "deepseek-ai/DeepGEMM"),
        ("ssh://git@github.com/deepseek-ai/DeepGEMM.git", "deepseek-ai/DeepGEMM"),
        ("github.com:deepseek-ai/DeepGEMM", "deepseek-ai/DeepGEMM"),
        ("git://example.org/a/b.git", ""),
        ("https://example.org:8443/a/b", ""),
        ("https://gitlab.com/group/sub/name.git", ""),
    ],
)
def test_followed(text: str, slug: str) -> None:
    """Addresses of https, ssh and git are followed; GitHub's tell owner and name."""
    found = address.parse(text)

    assert (text, slug, False) == (found.secret, found.slug, found.local)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is not an address"),
        ("--upload-pack=touch /tmp/x", "begins with `-`"),
        ("-oProxyCommand=x", "begins with `-`"),
        ("ext::sh -c touch% /tmp/x", "transport `ext`"),
        ("EXT::sh -c x", "transport `EXT`"),
        ("fd::17", "transport `fd`"),
        ("https::https://example.org/x", "transport `https`"),
        ("http://github.com/a/b", "transport `http`"),
        ("ftp://example.org/a", "transport `ftp`"),
        ("rsync://example.org/a", "transport `rsync`"),
        ("git+ssh://example.org/a", "transport `git+ssh`"),
        ("ssh://-oProxyCommand=x/a", "begins with `-`"),
        ("ssh://git@-oProxyCommand=x/a", "begins with `-`"),
        ("-x@host:path", "begins with `-`"),
        ("user@-oProxyCommand=x:path", "begins with `-`"),
        ("git@host:-path", "begins with `-`"),
        ("https:///a/b", "names no host"),
        ("https://exa\nmple.org/a", "is not an address"),
    ],
)
def test_refused(text: str, why: str) -> None:
    """What could make git run a command or leave the known transports is refused with exit 2."""
    with pytest.raises(address.AddressError) as raised:
        address.parse(text)

    assert why in raised.value.message
    assert UsageError.exit_code == raised.value.exit_code


@pytest.mark.parametrize(
    "text",
    [
        "https://me:s3cret@example.org/a/b.git",
        "https://s3cret@example.org/a/b",
        "ssh://git:s3cret@example.org/a/b",
        "https://example.org/a/b?token=s3cret",
        "https://example.org/a/b#s3cret",
        "http://me:s3cret@example.org/a",
        "https://me:s3cret@-x/a",
        "https://me:p@s3cret@example.org/a/b.git",
    ],
)
def test_credentials_are_never_shown(text: str) -> None:
    """A password stands in no message, no name in the cache and no representation."""
    try:
        found = address.parse(text)
    except address.AddressError as error:
        said = error.message
    else:
        said = f"{found.shown} {found.key} {found.identity} {found!r}"

    assert "s3cret" not in said


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://github.com/a/B", "git@github.com:A/b.git", True),
        ("https://Example.org/a/b.git", "https://example.org/a/b/", True),
        ("https://me:x@example.org/a/b", "https://example.org/a/b", True),
        ("https://example.org/a/b", "https://example.org/a/B", False),
        ("https://example.org/a/b", "https://example.org/a/c", False),
        ("/x/repo", "/x/repo.git", True),
    ],
)
def test_identity(one: str, other: str, same: bool) -> None:
    """Spellings of one repository share a mirror, and different repositories never do."""
    assert same == (address.parse(one).key == address.parse(other).key)


@pytest.mark.parametrize(
    ("parent", "relative", "joined"),
    [
        ("https://github.com/a/b.git", "../c.git", "https://github.com/a/c.git"),
        ("https://github.com/a/b", "./c", "https://github.com/a/b/c"),
        ("git@github.com:a/b.git", "../../x/c", "git@github.com:x/c"),
        ("/srv/git/b", "../c", "/srv/git/c"),
        ("https://me:pw@example.org/a/b", "../c", "https://me:pw@example.org/a/c"),
        ("https://example.org/a", "../../../../etc/passwd", "https://example.org/etc/passwd"),
    ],
)
def test_relative(parent: str, relative: str, joined: str) -> None:
    """A submodule's relative address is resolved against its parent's, and stays on its host."""
    found = address.parse(relative, relative_to=address.parse(parent))

    assert joined == found.secret


@pytest.mark.parametrize("text", ["/etc", "file:///etc", "sub", "~/x"])
def test_remote_names_no_local_path(text: str) -> None:
    """A repository from the network cannot send dgpin to a path of this machine."""
    with pytest.raises(address.AddressError, match="local path"):
        address.parse(text, relative_to=address.parse("https://example.org/a"), local=False)


@given(st.text(max_size=40))
def test_parse_never_fails_otherwise(text: str) -> None:
    """Any text is an address or an explained refusal, and git never gets a leading dash."""
    with contextlib.suppress(address.AddressError):
        assert not address.parse(text).secret.startswith("-")
