"""Directives: what a compiler would see of a file's includes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgpin.pin.directives import HeaderMacro, Include, scan


def headers(text: str) -> list[tuple[int, str, bool]]:
    return [(each.line, each.header, each.conditional) for each in scan(text).includes]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#include <a.h>\n", [(1, "a.h", False)]),
        ('#include "a.h"', [(1, "a.h", False)]),
        ("  #  include  <a.h>  // why\n", [(1, "a.h", False)]),
        ("#include<a.h>\n", [(1, "a.h", False)]),
        ("#include /* c */ <a.h>\n", [(1, "a.h", False)]),
        ("#\\\ninclude \\\n<a.h>\n#include <b.h>", [(1, "a.h", False), (4, "b.h", False)]),
        ("#pragma once\r\n\r\n#include <a.h>\r\n", [(3, "a.h", False)]),
        ("#include_next <a.h>\n", [(1, "a.h", False)]),
        # Not there for the compiler
        ("// #include <a.h>\n", []),
        ("// x \\\n#include <a.h>\n", []),
        ("/*\n#include <a.h>\n*/\n#include <b.h>", [(4, "b.h", False)]),
        ("/* never closed\n#include <a.h>\n", []),
        ('R"(\n#include <a.h>\n)";\n#include <b.h>', [(4, "b.h", False)]),
        ('R"x(\n)"\n#include <a.h>\n)x";', []),
        ('u8R"(\n#include <a.h>\n)";', []),
        ("#if 0\n#include <a.h>\n#endif\n", []),
        ("#included <a.h>\nint include;\n", []),
        # What opens nothing
        ('char* s = "/*";\n#include <a.h>\n', [(2, "a.h", False)]),
        ("// /*\n#include <a.h>\n", [(2, "a.h", False)]),
        ("char c = '\"';\n#include <a.h>\n", [(2, "a.h", False)]),
        ("int n = 1'000; /* don't\n#include <a.h>\n*/", []),
        ("#error don't\n#include <a.h>\n", [(2, "a.h", False)]),
    ],
)
def test_lexing(text: str, expected: list[tuple[int, str, bool]]) -> None:
    """Comments, literals and line splices are read as a lexer reads them."""
    assert expected == headers(text)


@pytest.mark.parametrize(
    ("text", "conditional"),
    [
        ("#if X\n#include <a.h>\n#endif", [True]),
        ("#ifdef X\n#include <a.h>\n#else\n#include <b.h>\n#endif", [True, True]),
        ("#if A\n#elif B\n#include <a.h>\n#endif\n#include <b.h>", [True, False]),
        ("#if 0\n#else\n#include <a.h>\n#endif", [False]),
        ("#if 1\n#include <a.h>\n#else\n#include <b.h>\n#endif", [False]),
        ("#if 0\n#elif X\n#include <a.h>\n#endif", [True]),
        ("#if X\n#if 1\n#include <a.h>\n#endif\n#endif", [True]),
        # A guard around the file is no condition
        ("#ifndef G\n#define G\n#include <a.h>\n#endif", [False]),
        ("#if !defined(G)\n#define G\n#include <a.h>\n#endif", [False]),
        ("#ifndef G\n#define G\n#if X\n#include <a.h>\n#endif\n#endif", [True]),
        # and only then
        ("#ifndef G\n#define H\n#include <a.h>\n#endif", [True]),
        ("#ifndef G\n#define G\n#endif\n#ifndef H\n#include <a.h>\n#endif", [True]),
        ("#ifndef G\n#define G\n#else\n#include <a.h>\n#endif", [True]),
    ],
)  # fmt: skip
def test_conditions(text: str, conditional: list[bool]) -> None:
    """Both sides of a condition are read, and said to be conditional."""
    assert conditional == [each.conditional for each in scan(text).includes]


def test_macro_include() -> None:
    """An include of a macro keeps the macro, and a definition keeps the header it stands for."""
    found = scan('#define STD(name) <cuda/std/name>\n#define OWN "own.h"\n#include STD(utility)\n')

    assert (Include(line=3, header="STD(utility)", macro=True),) == found.includes
    assert (
        HeaderMacro(name="STD", parameter="name", header="cuda/std/name", quoted=False),
        HeaderMacro(name="OWN", parameter="", header="own.h", quoted=True),
    ) == found.macros


def test_regions() -> None:
    """The lines that a condition may leave out are known."""
    assert ((2, 4), (4, 6)) == scan("a\n#if X\nb\n#else\nc\n#endif\nd\n").conditional


BLOCKS = st.sampled_from(
    [
        "int a;",
        "// #include <no.h>",
        "/* #include <no.h> */",
        "/*\n#include <no.h>\n*/",
        'R"(\n#include <no.h>\n)";',
        'const char* s = "#include <no.h> /*";',
        "#include <yes.h>",
        '#  include "yes.h"',
    ]
)


@given(st.lists(BLOCKS))
def test_any_file(blocks: list[str]) -> None:
    """However a file is put together, its own includes are found, each on its line."""
    text = "\n".join(blocks)
    lines = text.split("\n")

    found = scan(text).includes

    assert sum("yes.h" in block for block in blocks) == len(found)
    assert all("yes.h" in lines[each.line - 1] for each in found)


@given(st.text(alphabet="#include <>\"'/*R()\\\n\t ifdnlsz01x"))
def test_any_text(text: str) -> None:
    """No text makes the scanner fail, and the code keeps its lines."""
    assert text.count("\n") == scan(text).code.count("\n")
