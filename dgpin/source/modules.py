"""Where `.gitmodules` says that the submodules come from."""

import re

_SECTION = re.compile(r'\s*\[submodule\s+"(?:[^"\\]|\\.)*"\s*\]\s*(?:[#;].*)?')
_VALUE = re.compile(r"\s*(?P<key>[A-Za-z][A-Za-z0-9-]*)\s*=\s*(?P<value>.*?)\s*")


def urls(text: str) -> dict[str, str]:
    """Return the address of each submodule by its path; what lacks either is left out."""
    found: dict[str, str] = {}
    for section in _sections(text):
        if section.get("path") and section.get("url"):
            found[section["path"].rstrip("/")] = section["url"]
    return found


def _sections(text: str) -> list[dict[str, str]]:
    sections: list[dict[str, str]] = []
    inside = False
    for line in text.splitlines():
        if line.lstrip().startswith("["):
            inside = _SECTION.fullmatch(line) is not None
            if inside:
                sections.append({})
        elif inside and (value := _VALUE.fullmatch(line)):
            sections[-1][value["key"].lower()] = _unquoted(value["value"])
    return sections


def _unquoted(value: str) -> str:
    if value.startswith('"') and value.endswith('"') and len(value) > 1:
        return re.sub(r"\\(.)", r"\1", value[1:-1])
    return re.sub(r"\s+[#;].*", "", value)
