"""What a value looks like in a host file: the grammar belongs to the fact, not to the host."""

import re

_VERSION = r"[0-9]+(?:\.[0-9]+)*"
_PATH = r"[A-Za-z0-9_.+-]+(?:/[A-Za-z0-9_.+-]+)*"
_REPO = (
    r"(?:https?|ssh|git|file)://[^\s\"'<>`,;)]+?"
    r"|/[^\s\"'<>`,;)]+?"
    r"|[A-Za-z0-9_.-]+@[A-Za-z0-9_.-]+:[^\s\"'<>`,;)]+?"
)

SCALARS = {
    "repo": _REPO,
    "slug": r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+?",
    "owner": r"[A-Za-z0-9_.-]+",
    "name": r"[A-Za-z0-9_.-]+?",
    "commit": r"[0-9a-f]{40}",
    "branch": r"[A-Za-z0-9_.][A-Za-z0-9_./-]*",
    "version": rf"{_VERSION}(?:[.-]?(?:post|dev|rc|a|b)[0-9]+)*",
    "wheel": rf"{_VERSION}(?:[.-]?(?:post|dev|rc|a|b)[0-9]+)*(?:\+[A-Za-z0-9.]+)?",
    "gcc_min": _VERSION,
    "cuda_min": _VERSION,
    "cxx_std": r"[0-9]{2}",
}
LISTS = {
    "submodules": _PATH,
    "includes": _PATH,
    "headers": r"[A-Za-z0-9_.+*-]+(?:/[A-Za-z0-9_.+*-]+)*",
    "modules": r"[A-Za-z_][A-Za-z0-9_]*",
    "subpackages": r"[A-Za-z_][A-Za-z0-9_]*",
    "libraries": r"[A-Za-z0-9_.+-]+",
    "packages.rpm": r"[A-Za-z0-9][A-Za-z0-9+._-]*",
    "packages.deb": r"[a-z0-9][a-z0-9+.-]*",
    "packages.apk": r"[a-z0-9][a-z0-9+._-]*",
    # As hosts write them: 9.0a, 10.0f, 90, sm_90a.
    "arches": r"(?:sm_?)?[0-9]{2,3}[af]?|[0-9]{1,2}\.[0-9][af]?",
    "files": _PATH,
}
_SUBMODULE_COMMIT = re.compile(r"[A-Za-z0-9_-]+\.commit")
MIN_SHORT = 7  # a shorter form of a commit names too many
MAX_SHORT = 40


def knows(fact: str) -> bool:
    """Return whether a hole of this name is one of ours, and not the host's own text."""
    return fact in SCALARS or fact in LISTS or _SUBMODULE_COMMIT.fullmatch(fact) is not None


def is_list(fact: str) -> bool:
    """Return whether a fact has several items, each at a site of its own."""
    return fact in LISTS


def value_pattern(fact: str, *, length: int | None = None) -> str:
    """Return the regular expression of a fact's value at a site.

    `length` is the number of hexadecimal digits of a short commit (`<commit:7>`).
    """
    if length is not None:
        return rf"[0-9a-f]{{{length}}}"
    if _SUBMODULE_COMMIT.fullmatch(fact):
        return SCALARS["commit"]
    return SCALARS.get(fact) or LISTS[fact]


def family(arch: str) -> str:
    """Return the architecture that a host's spelling belongs to: 9.0a, 90 and sm_90a are sm_90.

    A family is the major compute capability: 10.0f and 10.3a are both sm_100.
    """
    digits = arch.removeprefix("sm").removeprefix("_").rstrip("af")
    major = digits.split(".")[0] if "." in digits else digits[:-1]
    return f"sm_{major}0"


def version_key(version: str) -> tuple[int, ...]:
    """Return a version's numbers, so that 12.10 sorts after 12.9 and 13 equals 13.0."""
    numbers = [int(number) for number in re.findall(r"[0-9]+", version)]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
