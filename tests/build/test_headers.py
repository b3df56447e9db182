"""What `-M` prints, and who includes what."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from dgpin.build import headers
from dgpin.verdict import Place
from tests.build.world import write

names = st.text("ab $#_-", max_size=6).map(lambda text: f"/usr/x{text}x/a.h")


@given(st.lists(names, unique=True, min_size=1))
def test_every_prerequisite_comes_back(paths: list[str]) -> None:
    """make's quoting of spaces, `#` and `$` is undone, and lines are joined."""
    quoted = [p.replace(" ", "\\ ").replace("#", "\\#").replace("$", "$$") for p in paths]
    rule = "python_api.o: " + " \\\n ".join(quoted) + "\n"

    assert tuple(paths) == headers.dependencies(rule)


def test_missing_names_stay_as_included() -> None:
    """With -MG a header that is nowhere is named as the source names it."""
    rule = "a.o: /s/a.cpp \\\n elfutils/libdwfl.h /usr/include/c++/12/../12/string\n"

    assert ("/s/a.cpp", "elfutils/libdwfl.h", "/usr/include/c++/12/string") == (
        headers.dependencies(rule)
    )


def test_includers_are_lines(tmp_path: Path) -> None:
    """The lines that include a header are found, those that only mention it are not."""
    one = write(tmp_path / "one.hpp", "// cusparse.h\n#  include <cusparse.h>\n")
    two = write(tmp_path / "two.hpp", '#include "cusparse.hpp"\n')

    assert (Place(str(one), 2),) == headers.includers("cusparse.h", [str(one), str(two)])
