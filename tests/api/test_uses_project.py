"""Uses across files: who calls a wrapper, what a helper hands over, what a double keeps alive."""

from pathlib import Path

import pytest

from dgpin.api import compare
from dgpin.api.bind_findings import Finding, impact
from dgpin.api.host.project import module_names
from dgpin.api.host.scan import scan
from dgpin.api.surface import Binding
from dgpin.api.uses import Form
from tests.api import surfaces


def write(folder: Path, files: dict[str, str]) -> Path:
    """Write a host: its files by their paths."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def found(folder: Path) -> tuple[Finding, ...]:
    """Return what the move between the small surfaces does to a host."""
    return impact(scan(folder), compare.compare(*surfaces.moved(Binding.PYBIND11))).findings


WRAPPERS = """\
import deep_gemm


def lost(*args, **kwargs):
    return deep_gemm.lost_keyword(*args, **kwargs)


def gone(x):
    return deep_gemm.gone(x)
"""


def test_the_chain_leads_to_callers(tmp_path: Path) -> None:
    """A use inside a function names its callers, and theirs, those of tests last."""
    write(
        tmp_path,
        {
            "host/__init__.py": "",
            "host/wrappers.py": WRAPPERS,
            "host/layer.py": "from host.wrappers import gone\n\n\n"
            "def run(x):\n    return gone(x)  # deep_gemm\n",
            "host/model.py": "from .layer import run as go  # deep_gemm\n\n\n"
            "def forward(x):\n    go(x)\n",
            "tests/test_layer.py": "from host import wrappers  # deep_gemm\n\n\n"
            "def test():\n    wrappers.gone(1)\n",
        },
    )

    (finding,) = found(tmp_path)

    assert [
        ("host/layer.py:5", 1),
        ("tests/test_layer.py:5", 1),
        ("host/model.py:5", 2),
    ] == [(str(c.place), c.level) for c in finding.use.callers]


def test_a_caller_without_a_word_of_the_library(tmp_path: Path) -> None:
    """A file that only imports a wrapper is read too."""
    write(
        tmp_path,
        {
            "host/__init__.py": "",
            "host/wrappers.py": WRAPPERS,
            "host/layer.py": "from host.wrappers import lost\n\n\n"
            "def run(x):\n    lost(x, fast=True)\n",
            "host/other.py": "from host.else_where import lost\n\n\n"
            "def run(x):\n    lost(x, fast=True)\n",
        },
    )

    places = [str(finding.use.place) for finding in found(tmp_path)]

    assert ["host/layer.py:5", "host/wrappers.py:9"] == sorted(places)


def test_a_handle_from_another_file(tmp_path: Path) -> None:
    """A function that gives the library is followed, through a package's re-export."""
    write(
        tmp_path,
        {
            "host/__init__.py": "from host.lib import library\n",
            "host/lib.py": "def library():\n    import deep_gemm\n\n    return deep_gemm\n",
            "host/a.py": "from host import library\n\n\ndef run(x):\n    library().gone(x)\n",
            "host/b.py": "import host\n\n\ndef run(x):\n    host.library().gone(x)\n",
        },
    )

    places = [str(finding.use.place) for finding in found(tmp_path)]

    assert ["host/a.py:5", "host/b.py:5"] == sorted(places)


def test_a_base_class_in_another_file(tmp_path: Path) -> None:
    """An attribute of a base class is found."""
    write(
        tmp_path,
        {
            "base.py": "import deep_gemm\n\n\n"
            "class Base:\n    def __init__(self):\n        self.dg = deep_gemm\n",
            "child.py": "from base import Base  # deep_gemm\n\n\nclass Child(Base):\n"
            "    def run(self, x):\n        self.dg.gone(x)\n",
        },
    )

    (finding,) = found(tmp_path)

    assert "child.py:6" == str(finding.use.place)


def test_a_circle_of_imports(tmp_path: Path) -> None:
    """Two modules that import a name from each other are read to the end."""
    write(
        tmp_path,
        {
            "a.py": "from b import x  # deep_gemm\nx.gone(1)\n",
            "b.py": "from a import x\nimport deep_gemm\ndeep_gemm.gone(1)\n",
        },
    )

    assert ["b.py:3"] == [str(finding.use.place) for finding in found(tmp_path)]


def test_another_library_of_that_name(tmp_path: Path) -> None:
    """A function of the host that bears a name of the API is not the API."""
    write(
        tmp_path,
        {
            "ops.py": "# not deep_gemm\ndef gone(x):\n    return x\n",
            "use.py": "import deep_gemm\nfrom ops import gone\n\n\n"
            "def run(x):\n    gone(x)\n    x.gone(x)\n",
        },
    )

    assert () == found(tmp_path)


DOUBLES = {
    "a class": "class Fake:\n    seen = []\n\n    @staticmethod\n    def gone(x): ...\n\n\n"
    'monkeypatch.setitem(sys.modules, "deep_gemm", Fake)\n',
    "a namespace": "fake = SimpleNamespace(gone=lambda x: x, seen=[])\n"
    'monkeypatch.setitem(sys.modules, "deep_gemm", fake)\n',
    "in place of a helper": "def library():\n    import deep_gemm\n    return deep_gemm\n\n\n"
    'monkeypatch.setattr("test_it.library", lambda: SimpleNamespace(gone=print))\n',
    "assigned": 'sys.modules["deep_gemm"] = SimpleNamespace(gone=print)\n',
    "patched": 'mock.patch("deep_gemm", SimpleNamespace(gone=print))\n',
}


@pytest.mark.parametrize("text", DOUBLES.values(), ids=DOUBLES)
def test_doubles(tmp_path: Path, text: str) -> None:
    """The functions of a test double are uses, its bookkeeping is not."""
    head = "import sys\nfrom types import SimpleNamespace\nfrom unittest import mock\n\n\n"
    write(tmp_path, {"test_it.py": head + text})

    fakes = [use.path for use in scan(tmp_path).uses if use.form is Form.FAKE]

    assert ["deep_gemm.gone"] == fakes


NAMES = [
    ("a/b.py", (), ("a.b", "b")),
    ("pkg/b.py", ("pkg",), ("pkg.b",)),
    ("src/pkg/sub/b.py", ("src/pkg", "src/pkg/sub"), ("src.pkg.sub.b", "pkg.sub.b")),
    ("pkg/__init__.py", ("pkg",), ("pkg",)),
    ("pkg/space/b.py", ("pkg",), ("pkg.space.b",)),
    ("my-tools/b.py", (), ("b",)),
]


@pytest.mark.parametrize(("path", "packages", "expected"), NAMES)
def test_names(path: str, packages: tuple[str, ...], expected: tuple[str, ...]) -> None:
    """A file has the names under which Python could import it, and no others."""
    assert expected == module_names(path, frozenset(packages))


def test_moves_that_break_nothing(tmp_path: Path) -> None:
    """A parameter appended, a name gained and a type widened are silent for the host."""
    write(
        tmp_path,
        {
            "use.py": "import deep_gemm\n\n\n"
            "def run(x):\n    deep_gemm.f(x, 1)\n    deep_gemm.f(a=x, b=None)\n",
        },
    )
    a = surfaces.surface(surfaces.function("f", "a", "b: int | None"))
    b = surfaces.surface(
        surfaces.function("f", "a", "b: int | float | None", "c=None"), surfaces.function("g")
    )

    assert () == impact(scan(tmp_path), compare.compare(a, b)).findings
