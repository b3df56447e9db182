"""The include scanner: what a translation unit reaches."""

from dgpin.pin.includes import External, closure
from dgpin.verdict import Place
from tests.example.tree import DictTree


def test_quotes_and_angles() -> None:
    """A quoted header is looked for beside the file first, one in angles only in directories."""
    tree = DictTree(
        {
            "csrc/a.cpp": '#include "x.hpp"\n#include <x.hpp>\n#include <y.hpp>\n',
            "csrc/x.hpp": '#include "../csrc/sub/z.hpp"\n',
            "csrc/sub/z.hpp": "",
            "include/x.hpp": "",
            "include/y.hpp": '#include "x.hpp"\n',
        }
    )

    found = closure(tree, ["csrc/a.cpp"], ["include"])

    assert {
        "csrc/a.cpp", "csrc/x.hpp", "csrc/sub/z.hpp", "include/x.hpp", "include/y.hpp",
    } == set(found.files)  # fmt: skip
    assert () == found.externals


def test_directories_in_order() -> None:
    """The first directory that has the header wins."""
    tree = DictTree({"a.cpp": "#include <x.h>", "one/x.h": "", "two/x.h": ""})

    assert "two/x.h" in closure(tree, ["a.cpp"], ["two", "one"]).files


def test_conditional_all_the_way() -> None:
    """What is only reached through a condition is conditional, whatever stands further down."""
    tree = DictTree(
        {
            "a.cpp": "#if X\n#include <b.h>\n#endif\n#include <c.h>\n",
            "b.h": "#include <vector>\n#include <d.h>\n",
            "c.h": "#include <vector>\n#if X\n#include <span>\n#endif\n",
            "d.h": "#include <format>\n",
        }
    )

    found = closure(tree, ["a.cpp"], ["."])

    assert frozenset({"b.h", "d.h"}) == found.conditional
    assert (
        External(header="format", places=(Place("d.h", 1),), conditional=True),
        External(header="span", places=(Place("c.h", 3),), conditional=True),
        External(header="vector", places=(Place("c.h", 1),), conditional=False),
    ) == found.externals


def test_condition_that_comes_first() -> None:
    """A file reached under a condition and later without one is certain, and so is the rest."""
    tree = DictTree(
        {
            "a.cpp": '#if X\n#include "b.h"\n#endif\n#include "c.h"\n',
            "b.h": "#include <format>\n",
            "c.h": '#include "b.h"\n',
        }
    )

    found = closure(tree, ["a.cpp"], [])

    assert frozenset() == found.conditional
    assert [False] == [each.conditional for each in found.externals]


def test_circle() -> None:
    """Headers that include each other end the walk."""
    tree = DictTree({"a.h": '#include "b.h"', "b.h": '#include "a.h"'})

    assert {"a.h", "b.h"} == set(closure(tree, ["a.h"], []).files)


def test_macros() -> None:
    """A macro's header is followed wherever the macro is defined; an unknown one is reported."""
    tree = DictTree(
        {
            "a.cpp": '#include STD(tuple)\n#include OTHER\n#include OWN\n#include "b.h"\n',
            "b.h": "#if X\n#define STD(h) <cccl/h>\n#else\n#define STD(h) <std/h>\n#endif\n"
            '#define OWN "c.h"\n',
            "c.h": "#include <map>\n",
        }
    )

    found = closure(tree, ["a.cpp"], [])

    assert [("cccl/tuple", True), ("map", False), ("std/tuple", True)] == [
        (each.header, each.conditional) for each in found.externals
    ]
    assert (Place("a.cpp", 2),) == found.unresolved


def test_missing_root() -> None:
    """A root that is not there reaches nothing."""
    assert {} == closure(DictTree({}), ["csrc/python_api.cpp"], []).files
