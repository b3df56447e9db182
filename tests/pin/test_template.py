"""Templates read a host's own line and know where each value stands."""

import pytest

from dgpin.pin import template
from dgpin.pin.template import TemplateError, compile_template, regions

SHA = "0123456789abcdef0123456789abcdef01234567"


def values(text: str, content: str, scope: str | None = None) -> list[str]:
    """Return the holes' values of every match."""
    matches = compile_template(text).find(content, regions(content, scope))
    return [hole.value for match in matches for hole in match.holes]


@pytest.mark.parametrize(
    ("text", "content", "expected"),
    [
        ('TAG "<commit>"', f'TAG "{SHA}"', [SHA]),
        ("GIT_TAG <commit>", f"  GIT_TAG {SHA}\n", [SHA]),
        ("GIT_TAG <commit>", f"MY_GIT_TAG {SHA}\n", []),
        ("repo-x GIT_TAG <commit>", f"repo-x\r\n\tGIT_TAG  {SHA}\r\n", [SHA]),
        ("V=<commit:7>", "V=88965b0\n", ["88965b0"]),
        ("V=<commit:7>", f"V={SHA}\n", []),
        ('"<repo>.git"', '"https://github.com/a/B.git"', ["https://github.com/a/B"]),
        ('"<repo>.git"', '"git@github.com:a/B.git"', ["git@github.com:a/B"]),
        ("url = <repo>", "url = https://github.com/a/B\n", ["https://github.com/a/B"]),
        ("url = <repo>", "url = ssh://git@h:22/a/B\n", ["ssh://git@h:22/a/B"]),
        ("url = <repo>", "url = https://u:t@h:8443/a/B\n", ["https://u:t@h:8443/a/B"]),
        ("at <repo>", "at https://h/a/B: see", ["https://h/a/B"]),
        ("<repo>/tree/<commit>", f"x: https://h/a/B/tree/{SHA}\n", ["https://h/a/B", SHA]),
        ("${X}/<includes>", "${X}/third-party/fmt/include", ["third-party/fmt/include"]),
        ("requires GCC ≥ <gcc_min>", "requires GCC ≥ 11.3. More text", ["11.3"]),
        ("requires GCC ≥ <gcc_min>", "requires GCC ≥ 13 ([#5](x))", ["13"]),
        ("-l<libraries>", "-lcudart_static", ["cudart_static"]),
        (
            "deep_gemm-<version>%2B<commit:7>-cp",
            "deep_gemm-2.5.0%2B8a4dfba-cp",
            ["2.5.0", "8a4dfba"],
        ),
        ("List<int> <commit>", f"List<int> {SHA}", [SHA]),
    ],
)
def test_a_template_reads_what_stands_at_its_holes(
    text: str, content: str, expected: list[str]
) -> None:
    """Literals match literally, white space matches any, a hole takes what its fact allows."""
    assert expected == values(text, content)


def test_a_fact_named_twice_is_the_same_twice() -> None:
    """Two holes of one fact in one template match equal values only."""
    other = SHA.replace("0", "f")

    assert values("<commit> is <commit>", f"{SHA} is {SHA}") == [SHA, SHA]
    assert values("<commit> is <commit>", f"{SHA} is {other}") == []


@pytest.mark.parametrize(
    ("scope", "content", "expected"),
    [
        ("LIST …", 'LIST "a" "b"\n"c"', ' "a" "b"'),
        ("x = [ … ]", 'x = [a, b["c"], d]\ny = [e]', 'a, b["c"], d'),
        ("A … B", "A one B two B", " one "),
        ("A … B … C", "A 1 B 2 C 3", " 2 "),
        ('[submodule "x"] … [', '[submodule "x"]\nurl\n[submodule "y"]', "\nurl"),
        ('[submodule "x"] … [', '[submodule "x"]\nurl\n', "\nurl\n"),
        ("f(A … )", "f(A (b) c) d", " (b) c"),
    ],
)
def test_a_scope_is_what_stands_between_its_literals(
    scope: str, content: str, expected: str
) -> None:
    """The region ends at the line, at the next literal, or at the bracket that closes."""
    ((start, end),) = regions(content, scope)

    assert expected == content[start:end]


def test_a_scope_whose_end_is_not_there_has_no_region() -> None:
    """An opening without its end admits nothing."""
    assert regions("A one", "A … B") == ()


@pytest.mark.parametrize("text", ["", "  ", "<commit:3>", "<commit:41>", "<version:7>"])
def test_a_template_that_says_nothing_is_refused(text: str) -> None:
    """An empty text and a short form of anything but a commit are the configuration's fault."""
    with pytest.raises(TemplateError):
        compile_template(text)


@pytest.mark.parametrize("scope", ["A", "… B", ""])
def test_a_scope_needs_an_opening_and_an_ellipsis(scope: str) -> None:
    """A scope without both is the configuration's fault."""
    with pytest.raises(TemplateError):
        regions("A B", scope)


def test_lines_count_from_one() -> None:
    """The line of an offset is what an editor shows."""
    assert [template.line_of("a\nb\nc", offset) for offset in (0, 2, 4)] == [1, 2, 3]


def test_a_long_line_takes_no_longer_than_its_length() -> None:
    """A scan of ten megabytes without a match ends at once."""
    content = "set(_DEEPGEMM " * 700_000

    assert values('set(_DEEPGEMM_UPSTREAM_TAG "<commit>")', content) == []
