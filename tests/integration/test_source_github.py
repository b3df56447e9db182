"""GitHub's API, played by a server of our own."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from dgpin.errors import UnavailableError
from dgpin.source import git, github
from dgpin.source.elsewhere import search
from tests import gitrepo

SHA = "ab" * 20


class Server(ThreadingHTTPServer):
    """Answers paths from a dictionary and remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__(("0.0.0.0", 0), Handler)
        self.answers: dict[str, tuple[int, Any]] = {}
        self.asked: list[tuple[str, str | None]] = []


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server

    def do_GET(self) -> None:
        self.server.asked.append((self.path, self.headers["authorization"]))
        status, answer = self.server.answers.get(self.path, (404, {"message": "Not Found"}))
        body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server that dgpin takes for GitHub."""
    with Server() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        monkeypatch.setenv("DGPIN_GITHUB_API", f"http://127.0.0.1:{server.server_port}/api/")
        monkeypatch.setenv("NO_PROXY", "*")
        yield server
        server.shutdown()


def test_branches_that_contain_a_commit(api: Server) -> None:
    """A commit is on the branches that compare as identical or ahead of it, and no others."""
    api.answers = {
        "/api/repos/o/n/branches?per_page=100": (
            200,
            [{"name": n} for n in ("main", "dev/x", "old", "gone")],
        ),
        f"/api/repos/o/n/compare/main...{SHA}?per_page=1": (200, {"status": "diverged"}),
        f"/api/repos/o/n/compare/dev%2Fx...{SHA}?per_page=1": (200, {"status": "behind"}),
        f"/api/repos/o/n/compare/old...{SHA}?per_page=1": (200, {"status": "identical"}),
    }

    assert ("dev/x", "old") == github.branches_with("o/n", SHA)


@pytest.mark.parametrize(
    "answer",
    [
        (403, {"message": "rate limit"}),
        (500, b"oops"),
        (200, b"no json"),
        (200, [{"name": str(n)} for n in range(21)]),
    ],
)
def test_cannot_tell(api: Server, answer: tuple[int, Any]) -> None:
    """A used-up rate, an outage, nonsense or too many branches are no answer."""
    api.answers = {"/api/repos/o/n/branches?per_page=100": answer}

    assert None is github.branches_with("o/n", SHA)


def test_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without GitHub there is no answer, and no failure."""
    monkeypatch.setenv("DGPIN_GITHUB_API", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "*")

    assert (None, None) == (github.branches_with("o/n", SHA), github.full_sha("o/n", "abab"))


def test_short_sha(api: Server) -> None:
    """A short SHA is lengthened to one that begins with it; anything else is no answer."""
    api.answers = {
        "/api/repos/o/n/commits/abab": (200, {"sha": SHA}),
        "/api/repos/o/n/commits/cdcd": (200, {"sha": SHA}),
        "/api/repos/o/n/commits/efef": (422, {"message": "No commit found"}),
    }

    assert (SHA, None, None) == tuple(
        github.full_sha("o/n", short) for short in ("abab", "cdcd", "efef")
    )


def test_token(api: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The token goes into the header, on this machine or over https, and nowhere else."""
    monkeypatch.setenv("GITHUB_TOKEN", "t0ken")
    github.full_sha("o/n", "abab")
    # 127.0.0.2 is this machine as well, but not by a name that dgpin knows.
    monkeypatch.setenv("DGPIN_GITHUB_API", f"http://127.0.0.2:{api.server_port}/api")
    github.full_sha("o/n", "abab")

    path = "/api/repos/o/n/commits/abab"
    assert [(path, "Bearer t0ken"), (path, None)] == api.asked


def test_base(monkeypatch: pytest.MonkeyPatch) -> None:
    """GitHub's runners say where their API is, and dgpin's own variable wins."""
    assert github.PUBLIC == github.base()
    monkeypatch.setenv("GITHUB_API_URL", "https://ghe.example.org/api/v3")
    assert "https://ghe.example.org/api/v3" == github.base()
    monkeypatch.setenv("DGPIN_GITHUB_API", "https://other.example.org/")
    assert "https://other.example.org" == github.base()


def test_fork_is_found_without_fetching_it(api: Server) -> None:
    """A fork on GitHub that has the commit is named after one question to the API."""
    api.answers = {
        "/api/repos/o/fork/branches?per_page=100": (200, [{"name": "dev"}]),
        f"/api/repos/o/fork/compare/dev...{SHA}?per_page=1": (200, {"status": "behind"}),
    }

    found = search(["https://github.com/o/fork"], fetch=True)(SHA)

    assert ("https://github.com/o/fork", "branch dev") == found


def test_git_alone_does_the_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the API cannot be reached, the other repository is fetched and searched."""
    monkeypatch.setenv("DGPIN_GITHUB_API", "http://127.0.0.1:9")
    fork = gitrepo.make(tmp_path / "fork")
    sha = fork.commit("Here")

    assert (str(fork.root), "branch main") == search([str(fork.root)], fetch=True)(sha)


@pytest.mark.parametrize(("scheme", "allowed"), [("file://", True), ("ext::cat ", False)])
def test_rewritten_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str, allowed: bool
) -> None:
    """The user's git may send an address to a local copy, and never to a command."""
    fork = gitrepo.make(tmp_path / "fork")
    fork.commit("Here")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.{scheme}{fork.root}.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "https://github.com/o/fork")

    if allowed:
        assert "refs/heads/main" in {
            ref.name for ref in git.open_mirror("https://github.com/o/fork", fetch=True).refs()
        }
    else:
        with pytest.raises(UnavailableError, match="transport 'ext' not allowed"):
            git.open_mirror("https://github.com/o/fork", fetch=True)
