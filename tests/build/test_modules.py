"""Modules that a package imports and that are not in it."""

import pytest

from dgpin.build import modules

INIT = (
    "from . import _C\nfrom ._C import gemm\nfrom ._C.epilogue import Base\nfrom . import utils\n"
)
FILES = {
    "__init__.py": INIT,
    "_C.cpython-311-x86_64-linux-gnu.so": "",
    "utils/__init__.py": "from .math import *\nfrom . import layout\n",
    "utils/math.py": "from . import layout\nfrom .. import utils\n",
    "utils/layout.py": "",
}


def absent(files: dict[str, str]) -> list[str]:
    """Return the names of the modules that are not in a package."""
    python = {name for name in files if name.endswith(".py")}
    return [each.module for each in modules.absent(python, files, lambda n: files[n].encode())]


def test_complete_package_lacks_nothing() -> None:
    """Modules, packages, extensions and what is inside an extension all count as there."""
    assert [] == absent(FILES)


@pytest.mark.parametrize(
    ("line", "missing"),
    [
        ("from . import locality_domain", ["locality_domain"]),
        ("from .locality_domain import localize", ["locality_domain"]),
        ("from .utils.dist import init", ["utils.dist"]),
        ("from .utils import align, ceil_div", []),
        ("try:\n    from .envs import persistent_envs\nexcept ImportError:\n    pass", []),
        ("try:\n    from . import legacy\nexcept Exception as e:\n    print(e)", []),
        ("try:\n    from . import gone\nfinally:\n    pass", ["gone"]),
        ("def later():\n    from . import gone", []),
        ("import os\nfrom os import path", []),
        ("version = '1'\nfrom . import version", []),
        ("version: str = '1'\nfrom . import version", []),
        ("major, minor = 2, 8\nfrom . import minor", []),
        ("if True:\n    flag = 1\nfrom . import flag", []),
        ("try:\n    from os import sep\nexcept OSError:\n    pass\nfrom . import sep", []),
        ("def __getattr__(name):\n    return 1\nfrom . import lazy", []),
        ("def f():\n    gone = 1\nfrom . import gone", ["gone"]),
    ],
)
def test_import_that_fails_is_told(line: str, missing: list[str]) -> None:
    """Only what importing the package would stumble over is missing."""
    assert missing == absent({**FILES, "__init__.py": f"{INIT}{line}\n"})


def test_missing_in_a_submodule_is_told_there() -> None:
    """The place is that of the file which imports it."""
    files = {**FILES, "utils/math.py": "\nfrom .gone import x\n"}
    python = {name for name in files if name.endswith(".py")}

    (found,) = modules.absent(python, files, lambda name: files[name].encode())

    assert ("utils.gone", "utils/math.py:2") == (found.module, str(found.place))


def test_missing_extension_is_told() -> None:
    """Without any `_C` its import fails."""
    files = {name: text for name, text in FILES.items() if not name.endswith(".so")}

    assert "_C" in absent(files)
