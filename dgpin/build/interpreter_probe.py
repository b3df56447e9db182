"""Run by the interpreter that is asked about: `python -I interpreter_probe.py OUT [MODULE…]`.

Standard library only, nothing of the interpreter's packages is imported. The answer is JSON:
schema, version, include, ext_suffix, path (where imports look), modules (which of MODULE… it has),
homes (the directories of torch and deep_gemm: installed as editable, they are on no path), user
(the user's own packages, which -I leaves out; "" in a virtual environment).
"""

import site
import sys
import sysconfig


def find(name: str) -> bool:
    """Tell whether a top-level module is there, without importing it."""
    try:
        return name in sys.modules or any(each.find_spec(name, None) for each in sys.meta_path)
    except (AttributeError, ImportError, ValueError):
        return False


def home(name: str) -> str:
    """Return the directory of a top-level package, without importing it; "" where there is none."""
    for each in sys.meta_path:
        try:
            spec = each.find_spec(name, None)
        except (AttributeError, ImportError, ValueError):
            continue
        if spec is not None:
            return next(iter(spec.submodule_search_locations or []), "")
    return ""


def spell(value: object) -> str:
    """Return a value as JSON. The modules json and importlib.util double what a start costs."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{spell(k)}: {spell(v)}' for k, v in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(spell, value))}]"
    if isinstance(value, int):
        return str(value)
    units = str(value).encode("utf-16-be", "surrogatepass").hex()
    escaped = "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
    return f'"{escaped}"'


answer = {
    "schema": 1,
    "version": ".".join(str(part) for part in sys.version_info[:3]),
    "implementation": sys.implementation.name,
    "include": sysconfig.get_config_var("INCLUDEPY") or "",
    "ext_suffix": sysconfig.get_config_var("EXT_SUFFIX") or "",
    "platform": sysconfig.get_platform(),
    "path": [entry for entry in sys.path if entry],
    "modules": [name for name in sys.argv[2:] if find(name)],
    "user": site.getusersitepackages() if sys.prefix == sys.base_prefix else "",
    "homes": {name: home(name) for name in ("torch", "deep_gemm")},
}
with open(sys.argv[1], "w", encoding="utf-8") as file:  # noqa: PTH123 - pathlib costs 8 ms
    file.write(spell(answer))
