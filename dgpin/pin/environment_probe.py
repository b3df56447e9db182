"""What an interpreter would import as deep_gemm, and who installed it; nothing of it is imported.

Run by the interpreter under test: `python -I environment_probe.py OUT`. Standard library only; the
answer is JSON.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import re
import site
import sys
from pathlib import Path

SCHEMA = 1
PACKAGE = "deep_gemm"


def search_path() -> list[str]:
    """Return the path of a plain start: `-I` leaves PYTHONPATH and the user's packages out."""
    named = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    path = [*(str(Path(entry).absolute()) for entry in named), *sys.path]
    user = site.getusersitepackages()
    in_venv = sys.prefix != sys.base_prefix
    if not in_venv and not os.environ.get("PYTHONNOUSERSITE") and os.path.isdir(user):  # noqa: PTH112
        packages = [n for n, entry in enumerate(path) if entry.endswith("-packages")]
        path.insert(packages[0] if packages else len(path), user)
    return path


def directories(name: str) -> list[str]:
    """Return where an import would find a top-level package, without importing it."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return []
    if spec is None:
        return []
    if spec.submodule_search_locations is not None:
        return [str(Path(each).absolute()) for each in spec.submodule_search_locations]
    return [str(Path(spec.origin).absolute())] if spec.origin else []


def vendored(path: list[str]) -> list[dict[str, str]]:
    """Return the copies inside other packages, and the names by which those import them."""
    hosts = [Path(entry) / name for entry in path for name in names(entry) if name.isidentifier()]
    # An editable host is on no path; its finder knows it.
    hosts += map(Path, directories("vllm"))
    found: dict[str, str] = {}
    for host in hosts:
        copy = host / "third_party" / PACKAGE
        if os.path.isfile(copy / "__init__.py"):  # noqa: PTH113 - refuses nothing, unlike Path's
            found.setdefault(str(copy.absolute()), f"{host.name}.third_party.{PACKAGE}")
    return [{"directory": directory, "name": name} for directory, name in found.items()]


def names(directory: str) -> list[str]:
    """Return what is in a directory; one that may not be read holds nothing to import."""
    try:
        return sorted(os.listdir(directory))  # noqa: PTH208 - names are wanted
    except OSError:
        return []


def distributions(path: list[str]) -> list[dict[str, object]]:
    """Return the distributions that installed a file of some deep_gemm, with those files."""
    found: list[dict[str, object]] = []
    for distribution in importlib.metadata.distributions(path=path):
        name = named(distribution)
        record = distribution.read_text("RECORD") or ""
        ours = "gemm" in name.lower()
        if not ours and f"{PACKAGE}/" not in record:
            continue
        files = [
            {
                "path": str(Path(str(distribution.locate_file(file))).absolute()),
                "sha256": file.hash.value if file.hash and file.hash.mode == "sha256" else "",
            }
            for file in distribution.files or ()
            if PACKAGE in file.parts[:-1]
        ]
        if files or ours:
            found.append(
                {
                    "name": name,
                    "version": distribution.version,
                    "direct_url": parsed(distribution.read_text("direct_url.json")),
                    "files": files,
                }
            )
    return found


def named(distribution: importlib.metadata.Distribution) -> str:
    """Return a distribution's name; its other metadata is not worth the time to parse."""
    text = distribution.read_text("METADATA") or distribution.read_text("PKG-INFO") or ""
    found = re.search(r"^Name:[ \t]*(\S+)", text, re.MULTILINE)
    return found[1] if found else ""


def parsed(text: str | None) -> object:
    """Return a JSON text's value, or None where there is none."""
    try:
        return json.loads(text) if text else None
    except ValueError:
        return None


def main() -> None:
    """Write the answer to the file named by the first argument."""
    path = search_path()
    # The finders look at sys.path: it becomes what a plain start would have.
    sys.path[:] = path
    answer = {
        "schema": SCHEMA,
        "python": ".".join(str(part) for part in sys.version_info[:3]),
        "wins": directories(PACKAGE)[:1],
        "candidates": [
            str((Path(entry) / PACKAGE).absolute())
            for entry in path
            if os.path.isdir(Path(entry) / PACKAGE)  # noqa: PTH112 - as above
        ],
        "vendored": vendored(path),
        "distributions": distributions(path),
    }
    Path(sys.argv[1]).write_text(json.dumps(answer), encoding="utf-8")


if __name__ == "__main__":
    main()
