"""GitHub's REST API, where one question saves a fetch; git alone can answer all of them.

Every function returns None when GitHub cannot be asked: no network, no access, a used-up rate.
The API's address is `DGPIN_GITHUB_API`, else `GITHUB_API_URL` (set in GitHub's own runners), else
the public one. `GITHUB_TOKEN` goes into the request's header and nowhere else.
"""

import os
from typing import Any
from urllib.parse import quote, urlsplit

from dgpin import __version__

PUBLIC = "https://api.github.com"
LIMIT = 10.0  # seconds for one answer
MAX_BRANCHES = 20  # with more of them one fetch is cheaper than so many questions
_CONTAINED = ("behind", "identical")  # states of `compare/BRANCH...COMMIT`


def base() -> str:
    """Return the address of the API, without a slash at its end."""
    chosen = os.environ.get("DGPIN_GITHUB_API") or os.environ.get("GITHUB_API_URL") or PUBLIC
    return chosen.rstrip("/")


def full_sha(slug: str, short: str) -> str | None:
    """Return the commit that a short SHA means in `owner/name` or its network of forks."""
    answer = _get(f"/repos/{slug}/commits/{quote(short)}")
    sha = answer.get("sha") if isinstance(answer, dict) else None
    return sha if isinstance(sha, str) and sha.startswith(short) else None


def branches_with(slug: str, commit: str) -> tuple[str, ...] | None:
    """Return the branches of `owner/name` that contain a commit.

    That GitHub shows a commit there proves nothing: it shows those of every fork.
    """
    listed = _get(f"/repos/{slug}/branches?per_page=100")
    if not isinstance(listed, list) or len(listed) > MAX_BRANCHES:
        return None
    names = [str(branch["name"]) for branch in listed if isinstance(branch, dict)]
    found = []
    for name in names:
        answer = _get(f"/repos/{slug}/compare/{quote(name, safe='')}...{commit}?per_page=1")
        if answer is None:
            return None
        if isinstance(answer, dict) and answer.get("status") in _CONTAINED:
            found.append(name)
    return tuple(found)


def _get(path: str) -> Any:  # noqa: ANN401 - JSON, taken apart by the callers above
    """Return the answer's JSON, `{}` for "there is no such thing", or None for no answer."""
    import httpx  # noqa: PLC0415 - 73 ms

    address = base()
    headers = {"accept": "application/vnd.github+json", "user-agent": f"dgpin/{__version__}"}
    if (token := os.environ.get("GITHUB_TOKEN")) and _is_private(address):
        headers["authorization"] = f"Bearer {token}"
    try:
        answer = httpx.get(address + path, headers=headers, timeout=LIMIT, follow_redirects=True)
        if answer.status_code in {404, 422}:
            return {}
        return answer.json() if answer.is_success else None
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, ImportError, OSError):
        return None


def _is_private(address: str) -> bool:
    # A token does not travel in the clear, except inside this machine.
    parts = urlsplit(address)
    return parts.scheme == "https" or parts.hostname in {"localhost", "127.0.0.1", "::1"}
