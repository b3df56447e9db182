"""The build under test, and everything about it that can be read without loading it."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dgpin.build import torch_files
from dgpin.build.interpreter import Interpreter
from dgpin.build.torch_files import Torch
from dgpin.smoke.environment import Toolkit, headers_digest

PACKAGE = "deep_gemm"
VENDORED = "vllm/third_party/deep_gemm"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A build on disk, with the interpreter and the toolkit that would run it.

    `data` are the bytes of the `_C` that this interpreter would load, empty when there is none.
    """

    label: str
    package: Path
    python: Interpreter
    toolkit: Toolkit
    env: Mapping[str, str]
    torch: Torch | None
    extension: Path | None
    data: bytes = field(repr=False)
    headers: str  # digest of the include tree
    others: tuple[Path, ...]  # what else this interpreter would call deep_gemm, in its order
    requires: tuple[str, ...]  # the build's own requirements, where a wheel told them
    fingerprint: str  # of `dgpin build`, "" when it did not make this
    commit: str = ""  # that it was built from without changes, "" where nothing tells it

    @property
    def digest(self) -> str:
        """The sha256 of `_C`, which is what identifies a build; its version does not."""
        return hashlib.sha256(self.data).hexdigest() if self.data else ""

    def mentions(self, text: str) -> bool:
        """Whether `_C` holds this text."""
        return text.encode() in self.data


def inspect(
    label: str, package: Path, python: Interpreter, *, toolkit: Toolkit, env: Mapping[str, str]
) -> Target:
    """Read a build."""
    extension = _extension(package, python)
    fingerprint, commit = _made_of(package)
    return Target(
        label=label,
        package=package,
        python=python,
        toolkit=toolkit,
        env=env,
        torch=torch_files.find(python.search),
        extension=extension,
        data=extension.read_bytes() if extension else b"",
        headers=headers_digest(package),
        others=_others(package, python.search),
        requires=_requires(package),
        fingerprint=fingerprint,
        commit=commit,
    )


def _extension(package: Path, python: Interpreter) -> Path | None:
    """Return the `_C` that the import system would take: the versioned suffix, abi3, plain."""
    for suffix in (python.ext_suffix, ".abi3.so", ".so"):
        path = package / f"_C{suffix}"
        if path.is_file():
            return path
    return None


def _others(package: Path, search: Sequence[Path]) -> tuple[Path, ...]:
    candidates = [place / name for place in search for name in (PACKAGE, VENDORED)]
    own = package.resolve()
    # vLLM takes a top-level deep_gemm first, wherever it is, and its own copy after that.
    candidates.sort(key=lambda path: path.parts[-2] == "third_party")
    return tuple(
        path for path in candidates if (path / "__init__.py").is_file() and path.resolve() != own
    )


def _requires(package: Path) -> tuple[str, ...]:
    # Beside the package, or beside vllm where it is vLLM's own copy.
    roots = [package.parent, *package.parents[2:3]]
    for metadata in [path for root in roots for path in sorted(root.glob("*.dist-info/METADATA"))]:
        listed = metadata.with_name("RECORD")
        try:
            if f"{PACKAGE}/__init__.py" not in listed.read_text(encoding="utf-8"):
                continue
            text = metadata.read_text(encoding="utf-8")
        except OSError:
            continue
        head = text.partition("\n\n")[0].splitlines()
        return tuple(
            line.partition(":")[2].strip() for line in head if line.startswith("Requires-Dist:")
        )
    return ()


def _made_of(package: Path) -> tuple[str, str]:
    """Return the key and the commit that `dgpin build` wrote down, "" for what it did not."""
    path = package.parent / "fingerprint.json"
    if not path.is_file():
        return "", ""
    from dgpin.build import fingerprint  # noqa: PLC0415 - most builds are not dgpin's own

    found = fingerprint.load(path)
    if found is None:
        return "", ""
    commit, _, changes = found.components.get("commit", "").partition(" ")
    return found.key, "" if changes else commit
