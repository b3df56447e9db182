"""What a host states is judged by the facts of the source, with both places."""

import pytest

from dgpin.pin.facts import Facts
from dgpin.pin.judge import judge
from dgpin.verdict import Row, Verdict
from tests.pin.hosts import OLD, facts, reading

PASS, FAIL, UNKNOWN = Verdict.PASS, Verdict.FAIL, Verdict.UNKNOWN


def rows(text: str, watch: str, known: Facts | None) -> tuple[Row, ...]:
    """Return the judged rows of a host with one watched entry."""
    read = reading({"f": f"V={OLD}\n{text}"}, "\"f\" = 'V=<commit>'", watch=f'"f" = {watch}')
    return judge(read, known)


FLOOR = "{ at = 'gcc <gcc_min>', many = true }"
GATE = "{ each = 'arch(<arches>)', in = 'gate: … end' }"
LIST = "{ each = '-l<libraries>', in = 'link: …' }"
SUBMODULES = "{ each = '<submodules>', in = 'sub: …' }"
FILES = "'EXISTS <files>'"


@pytest.mark.parametrize(
    ("text", "watch", "known", "verdict", "says"),
    [
        ("gcc 11.3", FLOOR, facts(gcc_min="13"), FAIL, "GCC 13; the host declares 11.3"),
        ("gcc 11.3\ngcc 13", FLOOR, facts(gcc_min="13"), PASS, "GCC 13"),
        ("gcc 13.0", FLOOR, facts(gcc_min="13"), PASS, "GCC 13"),
        ("gcc 9", FLOOR, facts(gcc_min="13"), FAIL, "declares 9"),
        ("gcc 9", FLOOR, facts(), UNKNOWN, "does not tell <gcc_min>"),
        ("gcc 9", FLOOR, None, UNKNOWN, "not at hand"),
        ("cuda 12.3", "'cuda <cuda_min>'", facts(cuda_min="12.9"), FAIL, "CUDA 12.9"),
        ("cuda 12.10", "'cuda <cuda_min>'", facts(cuda_min="12.9"), PASS, "CUDA 12.9"),
        ("gate: arch(90) arch(120) end", GATE, facts(arches=("sm_90", "sm_100")), FAIL, "sm_120"),
        ("gate: arch(9.0a) arch(10.3f) end", GATE, facts(arches=("sm_90", "sm_100")), PASS, ""),
        ("link: -lcudart", LIST, facts(libraries=("cudart", "nvrtc")), FAIL, "lacks nvrtc"),
        ("link: -lcudart -lx", LIST, facts(libraries=("cudart",)), PASS, ""),
        ("link: -lcudart", LIST, facts(), UNKNOWN, "does not tell"),
        ("sub: a/b a/c", SUBMODULES, facts(submodules=("a/b",)), FAIL, "names a/c"),
        ("EXISTS csrc/x.cpp", FILES, facts(files=("csrc/x.cpp",)), PASS, ""),
        ("EXISTS csrc/x.cpp", FILES, facts(files=("csrc/y.cpp",)), FAIL, "has no csrc/x.cpp"),
        ("v 2.6.1", "'v <version>'", facts(version="2.8.0"), FAIL, "the host says 2.6.1"),
        ("v 2.8.0", "'v <version>'", facts(version="2.8.0"), PASS, ""),
    ],
)
def test_a_statement_is_judged(
    text: str, watch: str, known: Facts | None, verdict: Verdict, says: str
) -> None:
    """Floors are not below, gates are within, lists contain, files exist, values are equal."""
    (row,) = rows(text, watch, known)

    assert verdict is row.verdict
    assert says in row.message


def test_a_finding_names_both_sides() -> None:
    """The host's line comes first, then the source's, as `git show` takes it."""
    (row,) = rows("gcc 9", FLOOR, facts(gcc_min="13"))

    assert [str(place) for place in row.places] == ["f:2", f"{OLD[:8]}:src/gcc_min:1"]


def test_what_no_module_imports_may_be_left_out() -> None:
    """A subpackage that the source's package never imports is not missed."""
    text, watch = "py: utils", "{ each = '<subpackages>', in = 'py: …' }"
    known = facts(subpackages=("utils", "hooks"), unimported=("hooks",))

    assert [row.verdict for row in rows(text, watch, known)] == [PASS]


def test_two_facts_on_one_line_are_two_questions() -> None:
    """A version beside a short commit is held against the version, and the commit is the pin's."""
    entry = "'v<version>+<commit:7>'"
    right, wrong = (f"v{version}+{OLD[:7]}" for version in ("2.8.0", "2.6.1"))

    (passed,) = rows(right, entry, facts(version="2.8.0"))
    (failed,) = rows(wrong, entry, facts(version="2.8.0"))

    assert (PASS, FAIL) == (passed.verdict, failed.verdict)
    assert "the host says 2.6.1" in failed.message
