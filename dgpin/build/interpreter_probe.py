"""Run by the interpreter that is asked about: `python -I interpreter_probe.py OUT [MODULE…]`.

Standard library only, nothing of the interpreter's packages is imported. The answer is JSON:
schema, version, include, ext_suffix, path (where imports look), modules (which of MODULE… it has).
"""

import importlib.util
import json
import sys
import sysconfig


def find(name: str) -> bool:
    """Tell whether a top-level module is there, without importing it."""
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


answer = {
    "schema": 1,
    "version": ".".join(str(part) for part in sys.version_info[:3]),
    "implementation": sys.implementation.name,
    "include": sysconfig.get_config_var("INCLUDEPY") or "",
    "ext_suffix": sysconfig.get_config_var("EXT_SUFFIX") or "",
    "platform": sysconfig.get_platform(),
    "path": [entry for entry in sys.path if entry],
    "modules": [name for name in sys.argv[2:] if find(name)],
}
with open(sys.argv[1], "w", encoding="utf-8") as file:  # noqa: PTH123 - pathlib costs 8 ms
    json.dump(answer, file)
