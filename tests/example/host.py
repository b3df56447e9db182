"""The small host: vLLM's pin sites as they are in 0.29, and little around them."""

from pathlib import Path

from tests.example.repository import Commit, texts, write


def host_files(repo_url: str, commit: str) -> dict[str, str]:
    """Return the host's files, pinned to a commit of a repository."""
    return {
        path: text.replace("@REPO@", repo_url).replace("@COMMIT@", commit)
        for path, text in texts("host").items()
    }


def make_host(directory: Path, repo_url: str, commit: str) -> Path:
    """Write the host as a git work tree with one commit, and return its directory."""
    files = host_files(repo_url, commit)
    begin = Commit(name="begin", subject="Begin", files=files, refs=["refs/heads/main"])
    write(directory, [begin], bare=False)
    return directory
