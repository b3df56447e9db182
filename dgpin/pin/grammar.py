"""What a value looks like in a host file: the grammar belongs to the fact, not to the host."""

import re

# No value is longer than a name may be, so that a line of megabytes costs no more than its length.
_VERSION = r"[0-9]{1,20}(?:\.[0-9]{1,20}){0,9}"
_STAGES = r"(?:[.-]?(?:post|dev|rc|a|b)[0-9]{1,20}){0,4}"
_PATH = r"[A-Za-z0-9_.+-]{1,255}(?:/[A-Za-z0-9_.+-]{1,255}){0,31}"
_REPO = (
    r"(?:https?|ssh|git|file)://[^\s\"'<>`,;)]{1,1000}?"
    r"|/[^\s\"'<>`,;)]{1,1000}?"
    r"|[A-Za-z0-9_.-]{1,255}@[A-Za-z0-9_.-]{1,255}:[^\s\"'<>`,;)]{1,1000}?"
)

SCALARS = {
    "repo": _REPO,
    "slug": r"[A-Za-z0-9_.-]{1,255}/[A-Za-z0-9_.-]{1,255}?",
    "owner": r"[A-Za-z0-9_.-]{1,255}",
    "name": r"[A-Za-z0-9_.-]{1,255}?",
    "commit": r"[0-9a-f]{40}",
    "branch": r"[A-Za-z0-9_.][A-Za-z0-9_./-]{0,254}",
    "version": rf"{_VERSION}{_STAGES}",
    "wheel": rf"{_VERSION}{_STAGES}(?:\+[A-Za-z0-9.]{{1,255}})?",
    "gcc_min": _VERSION,
    "cuda_min": _VERSION,
    "cxx_std": r"[0-9]{2}",
}
LISTS = {
    "submodules": _PATH,
    "includes": _PATH,
    "headers": r"[A-Za-z0-9_.+*-]{1,255}(?:/[A-Za-z0-9_.+*-]{1,255}){0,31}",
    "modules": r"[A-Za-z_][A-Za-z0-9_]{0,254}",
    "subpackages": r"[A-Za-z_][A-Za-z0-9_]{0,254}",
    "libraries": r"[A-Za-z0-9_.+-]{1,255}",
    "packages.rpm": r"[A-Za-z0-9][A-Za-z0-9+._-]{0,254}",
    "packages.deb": r"[a-z0-9][a-z0-9+.-]{0,254}",
    "packages.apk": r"[a-z0-9][a-z0-9+._-]{0,254}",
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
