"""Where `.gitmodules` says that the submodules come from."""

import re

_SECTION = re.compile(r'\s*\[submodule\s+"(?:[^"\\]|\\.)*"\s*\]\s*(?:[#;].*)?')
_KEY = re.compile(r"\s*([A-Za-z][A-Za-z0-9-]*)\s*")


def urls(text: str) -> dict[str, str]:
    """Return the address of each submodule by its path; what lacks either is left out."""
    found: dict[str, str] = {}
    for section in _sections(text):
        path = section.get("path", "").rstrip("/")
        if path and section.get("url"):
            found[path] = section["url"]
    return found


def _sections(text: str) -> list[dict[str, str]]:
    sections: list[dict[str, str]] = []
    inside = False
    for line in text.split("\n"):
        if line.lstrip().startswith("["):
            inside = _SECTION.fullmatch(line) is not None
            if inside:
                sections.append({})
        elif inside and "=" in line:
            left, _, right = line.partition("=")
            if key := _KEY.fullmatch(left):
                sections[-1][key[1].lower()] = _unquoted(right.strip())
    return sections


def _unquoted(value: str) -> str:
    if value.startswith('"') and value.endswith('"') and len(value) > 1:
        return re.sub(r"\\(.)", r"\1", value[1:-1])
    # The look behind keeps a long run of blanks from being tried from each of its places.
    return re.sub(r"(?<!\s)\s+[#;].*", "", value)
