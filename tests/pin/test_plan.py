"""A plan changes the values at the sites and not one other byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgpin.pin.plan import (
    GarbledError,
    Plan,
    SecretError,
    UnfitValueError,
    UnknownFactError,
    plan,
)
from dgpin.pin.sites import SiteError
from tests.pin.hosts import FORK, NEW, OLD, REPO, facts, reading, target

CMAKE = f"""\
# top
set(REPO "{REPO}.git")
# why
set(TAG "{OLD}")
SUB "third-party/cutlass" "third-party/fmt"
file(GLOB h
  "x/csrc/*.h"
  "x/csrc/*.hpp")
"""
SITES = """
"a.cmake" = [
  'set(REPO "<repo>.git")',
  'set(TAG "<commit>")',
  { each = '"<submodules>"', in = 'SUB …' },
  { each = '"x/<headers>"', in = 'file(GLOB h … )' },
]
"""
BEFORE = facts(
    OLD,
    submodules=("third-party/cutlass", "third-party/fmt"),
    headers=("csrc/*.h", "csrc/*.hpp"),
)
AFTER = facts(
    NEW,
    submodules=("third-party/cutlass", "third-party/deep_jit"),
    headers=("csrc/*.h", "csrc/*.hpp", "jit/*.h", "jit/*.hpp"),
)


def written(planned: Plan, path: str = "a.cmake") -> str:
    """Return a file's planned text."""
    return next(edit.new.decode() for edit in planned.edits if edit.path == path)


def test_every_site_says_the_new_pin() -> None:
    """Values are replaced, a submodule is renamed in place, new globs come before the bracket."""
    planned = plan(reading({"a.cmake": CMAKE}, SITES), target(AFTER, old=BEFORE, repo=FORK))

    assert (
        written(planned)
        == f"""\
# top
set(REPO "{FORK}.git")
# why
set(TAG "{NEW}")
SUB "third-party/cutlass" "third-party/deep_jit"
file(GLOB h
  "x/csrc/*.h"
  "x/csrc/*.hpp"
  "x/jit/*.h"
  "x/jit/*.hpp")
"""
    )


def test_there_and_back_is_the_same_text() -> None:
    """Bumping and bumping back gives every byte back."""
    there = plan(reading({"a.cmake": CMAKE}, SITES), target(AFTER, old=BEFORE, repo=FORK))

    back = plan(reading({"a.cmake": written(there)}, SITES), target(BEFORE, old=AFTER, repo=REPO))

    assert written(back) == CMAKE


def test_a_second_run_plans_nothing() -> None:
    """Planning what is written already is no edit and no change."""
    there = plan(reading({"a.cmake": CMAKE}, SITES), target(AFTER, old=BEFORE))

    again = plan(reading({"a.cmake": written(there)}, SITES), target(AFTER, old=AFTER))

    assert again == Plan()


@pytest.mark.parametrize(
    "text",
    [
        CMAKE.replace("\n", "\r\n"),
        "\ufeff" + CMAKE,
        CMAKE + "odd bytes: \udcff\udcfe\n",
        CMAKE.rstrip("\n"),
    ],
    ids=["windows", "bom", "not-utf8", "no-newline"],
)
def test_the_rest_of_a_file_stays_to_the_byte(text: str) -> None:
    """Line ends, a BOM, foreign bytes and a missing last newline are kept."""
    there = plan(reading({"a.cmake": text}, SITES), target(AFTER, old=BEFORE, repo=FORK))
    new = there.edits[0].new.decode("utf-8", "surrogateescape")

    back = plan(reading({"a.cmake": new}, SITES), target(BEFORE, old=AFTER, repo=REPO))

    assert back.edits[0].new.decode("utf-8", "surrogateescape") == text


@given(st.text(max_size=40), st.text(max_size=40))
def test_only_the_holes_bytes_change(before: str, after: str) -> None:
    """Whatever surrounds a site, exactly the value's bytes are replaced."""
    before, after = before.replace("TAG=", ""), after.replace("TAG=", "")
    text = f"{before}\nTAG={OLD}\n{after}"

    planned = plan(reading({"f": text}, "\"f\" = 'TAG=<commit>'"), target())

    assert planned.edits[0].new.decode() == f"{before}\nTAG={NEW}\n{after}"


def test_short_forms_keep_their_length() -> None:
    """`<commit:7>` is written with seven digits."""
    planned = plan(reading({"f": "V=a1a1a1a\n"}, "\"f\" = 'V=<commit:7>'"), target())

    assert written(planned, "f") == "V=b2b2b2b\n"


@pytest.mark.parametrize(("source", "expected"), [("17", "20"), ("20", "20"), ("23", "23")])
def test_the_standard_is_raised_and_never_lowered(source: str, expected: str) -> None:
    """The host compiles as the higher of its own standard and the source's."""
    planned = plan(
        reading({"f": "-std=c++20\n"}, "\"f\" = '-std=c++<cxx_std>'"),
        target(facts(NEW, cxx_std=source)),
    )

    text = written(planned, "f") if planned.edits else "-std=c++20\n"
    assert text == f"-std=c++{expected}\n"


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        ("L [a, b, c]", "a b c", "a b", "L [a, b]"),
        ("L [a, b, c]", "a b c", "b c", "L [b, c]"),
        ("L [a, b, c]", "a b c", "a c", "L [a, c]"),
        ("L [a, b]", "a", "a d", "L [a, b, d]"),
        ("L [\n  a\n]", "a", "a d", "L [\n  a\n  d\n]"),
        ("L [a \\\n   b \\\n]", "b", "b d", "L [a \\\n   b \\\n   d \\\n]"),
        ("L [a, b, c, d]", "a b c d", "c d", "L [c, d]"),
        ("L [a, b, c, d]", "a b c d", "a d", "L [a, d]"),
        ("L [a, b, c, d]", "a b c d", "d", "L [d]"),
        ("L [a, b, c, d]", "a b c d", "a e f", "L [a, e, f]"),
        ("L [\n  a,\n  # why\n  b,\n]", "a b", "a b d", "L [\n  a,\n  # why\n  b,\n  d,\n]"),
        ("L [\n  a,  # x\n  b,  # y\n  c]", "a b c", "a c", "L [\n  a,  # x\n  c]"),
        ("L [\n  a,  # x\n  b\n]", "b", "b d", "L [\n  a,  # x\n  b,\n  d\n]"),
    ],
)
def test_items_come_and_go_with_what_separates_them(
    text: str, old: str, new: str, expected: str
) -> None:
    """Commas, line breaks and continuations go with the item that they belong to."""
    sites = "\"f\" = { each = '<libraries>', in = 'L [ … ]' }"

    planned = plan(
        reading({"f": text}, sites),
        target(
            facts(NEW, libraries=tuple(new.split())),
            old=facts(OLD, libraries=tuple(old.split())),
        ),
    )

    assert written(planned, "f") == expected


def test_a_list_that_would_be_empty_is_refused() -> None:
    """With no item left to copy, nothing shows how an item is written."""
    sites = "\"f\" = { each = '<libraries>', in = 'L [ … ]' }"

    with pytest.raises(GarbledError):
        plan(
            reading({"f": "L [a]"}, sites),
            target(facts(NEW, libraries=("b", "c")), old=facts(OLD, libraries=("a",))),
        )


def test_a_note_takes_the_place_of_the_comment() -> None:
    """`--note` rewrites the block above the commit, with its indentation and mark."""
    planned = plan(
        reading({"a.cmake": CMAKE.replace("# why", "  # one\n  # two")}, SITES),
        target(AFTER, old=BEFORE),
        note="Pinned to dev.\nSecond line.",
    )

    assert f'  # Pinned to dev.\n  # Second line.\nset(TAG "{NEW}")' in written(planned)
    assert "# one" not in written(planned)
    assert "# top" in written(planned)


def test_a_note_stands_above_the_statement() -> None:
    """Between the lines of a shell's command it would end the command."""
    text = f"# old\ngit clone x \\\n  && git checkout {OLD}\n"
    planned = plan(reading({"f": text}, "\"f\" = 'checkout <commit>'"), target(), note="Why.")

    assert text.replace("old", "Why.").replace(OLD, NEW) == planned.edits[0].new.decode()


@pytest.mark.parametrize("path", ["a.md", "a.json", "a.rst"])
def test_a_format_without_comments_gets_no_note(path: str) -> None:
    """There `# text` would be a heading, or a fault."""
    planned = plan(
        reading({path: f'"V={OLD}"\n'}, f"\"{path}\" = 'V=<commit>'"), target(), note="Why."
    )

    assert f'"V={NEW}"\n' == planned.edits[0].new.decode()


@pytest.mark.parametrize(
    "repo", ["../DeepGEMM", "/a b/DeepGEMM", 'https://h/"/D', "https://h/a,b/D"]
)
def test_a_repository_that_no_site_can_state_is_named(repo: str) -> None:
    """It is said to be that, before any text is planned with it."""
    read = reading({"f": f"R={REPO}\nV={OLD}\n"}, "\"f\" = ['R=<repo>', 'V=<commit>']")

    with pytest.raises(UnfitValueError, match=r"f:1: <repo> cannot be `.*`; nothing was written"):
        plan(read, target(repo=repo))


def test_no_credential_is_brought_into_a_host() -> None:
    """A site that has none gets none; one that has keeps what the host decided."""
    secret = "https://user:token@h/a/DeepGEMM"
    sites = "\"f\" = ['R=<repo>', 'V=<commit>']"

    with pytest.raises(SecretError, match=r"^f:1: the repository's address has credentials"):
        plan(reading({"f": f"R={REPO}\nV={OLD}\n"}, sites), target(repo=secret))

    kept = plan(reading({"f": f"R={secret}\nV={OLD}\n"}, sites), target(repo=secret))
    assert f"R={secret}\nV={NEW}\n" == kept.edits[0].new.decode()


@pytest.mark.parametrize("path", ["a.json", "a.py", "a.toml"])
def test_a_text_too_deep_for_its_parser_is_moved_all_the_same(path: str) -> None:
    """What could not be parsed before need not be parsed afterwards."""
    deep = f"x = {'[' * 100_000}{']' * 100_000}" if path != "a.json" else "[" * 100_000
    text = f"{deep}\n# V={OLD}\n"
    planned = plan(reading({path: text}, f"\"{path}\" = 'V=<commit>'"), target())

    assert text.replace(OLD, NEW) == planned.edits[0].new.decode()


@pytest.mark.filterwarnings("error")
def test_python_s_warnings_about_the_host_s_code_are_not_told() -> None:
    """They are about no site, and would stand between the lines of the answer."""
    text = f'V = "{OLD}"\nW = "\\d"\n'
    planned = plan(reading({"a.py": text}, '"a.py" = \'V = "<commit>"\''), target())

    assert text.replace(OLD, NEW) == planned.edits[0].new.decode()


def test_a_note_where_no_comment_was_is_a_new_one() -> None:
    """Without a block above the commit, the note becomes one."""
    planned = plan(reading({"f": f"  V={OLD}\n"}, "\"f\" = 'V=<commit>'"), target(), note="Why.")

    assert written(planned, "f") == f"  # Why.\n  V={NEW}\n"


def test_a_fact_that_the_source_does_not_tell_is_named() -> None:
    """A site whose fact has no value stops the plan, with file and line."""
    with pytest.raises(UnknownFactError, match=r"f:1: states <version>"):
        plan(reading({"f": "V=1.2.3\n"}, "\"f\" = 'V=<version>'"), target())


@pytest.mark.parametrize("text", ["nothing", f"V={OLD}\nV={OLD}\n"])
def test_a_site_that_is_not_there_once_stops_the_plan(text: str) -> None:
    """A missing site and one that matches twice are errors that name the entry."""
    with pytest.raises(SiteError, match="V=<commit>"):
        plan(reading({"f": text}, "\"f\" = 'V=<commit>'"), target())


def test_two_entries_may_state_one_value() -> None:
    """Entries that overlap in the same value agree on what to write."""
    sites = "\"f\" = ['V=<commit>', { at = '<commit>', in = 'V= …' }]"

    planned = plan(reading({"f": f"V={OLD}\n"}, sites), target())

    assert written(planned, "f") == f"V={NEW}\n"


@pytest.mark.parametrize(
    ("path", "text"),
    [("f.json", '{"v": "LIB"}'), ("f.py", 'x = "LIB"\n'), ("f.toml", 'v = "LIB"\n')],
)
def test_formats_that_can_be_parsed_are_parsed_again(path: str, text: str) -> None:
    """A planned JSON, TOML or Python text that its format still takes is accepted."""
    planned = plan(
        reading({path: text.replace("LIB", OLD)}, f'"{path}" = \'"<commit>"\''), target()
    )

    assert NEW in written(planned, path)


@pytest.mark.parametrize("end", ["", ".git"])
def test_an_address_keeps_its_form(end: str) -> None:
    """`.git` at the end of an address is the host's way to write it."""
    text, sites = f"url = {REPO}{end}\nPIN={OLD}\n", "\"f\" = ['url = <repo>', 'PIN=<commit>']"

    there = plan(reading({"f": text}, sites), target())
    moved = plan(reading({"f": text}, sites), target(repo=FORK))

    assert written(there, "f") == text.replace(OLD, NEW)
    assert written(moved, "f") == f"url = {FORK}{end}\nPIN={NEW}\n"
