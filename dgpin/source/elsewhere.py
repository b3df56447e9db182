"""Other repositories that the configuration names, searched for a commit."""

from collections.abc import Sequence

from dgpin.errors import DgpinError
from dgpin.source import address as addresses
from dgpin.source.address import Address
from dgpin.source.resolve import Elsewhere


def search(urls: Sequence[str], *, fetch: bool) -> Elsewhere:
    """Return a search through further repositories, such as `[pin] upstream` and `forks`.

    What cannot be reached is passed over: the answer only makes a refusal clearer. GitHub is
    asked before a whole repository is fetched for one commit.

    Raises:
        AddressError: an address is refused.
    """
    parsed = tuple(addresses.parse(url) for url in urls)

    def find(commit: str) -> tuple[str, str] | None:
        for address in parsed:
            if name := _holder(address, commit, fetch=fetch):
                return address.shown, name
        return None

    return find


def _holder(address: Address, commit: str, *, fetch: bool) -> str | None:
    from dgpin.source import git, github  # noqa: PLC0415 - most commits are where they should be

    if fetch and address.slug:
        branches = github.branches_with(address.slug, commit)
        if branches:
            return f"branch {branches[0]}"
    try:
        mirror = git.open_mirror(address.secret, fetch=fetch)
        found = mirror.abbreviated(commit)
        refs = mirror.refs(containing=found[0]) if len(found) == 1 else ()
    except DgpinError:
        return None
    return _spoken(refs[0].name) if refs else None


def _spoken(name: str) -> str:
    for prefix, kind in (("refs/heads/", "branch "), ("refs/tags/", "tag "), ("refs/pull/", "")):
        if name.startswith(prefix):
            return kind + name.removeprefix(prefix if kind else "refs/")
    return name
