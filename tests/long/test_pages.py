"""Every command block of README and the how-tos is run, or says for which reason it is not."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.docs import places, shell
from tests.docs.blocks import ROOT, Block, Reason, parse, read
from tests.docs.places import Workshop

Place = Callable[[Workshop, Path], Path]
# Where each page's reader stands.
PLACES: dict[str, Place] = {
    "README.md": places.plain,
    "docs/how-to/build-deepgemm.md": places.compiling,
    "docs/how-to/pin-deepgemm.md": places.new_host,
    "docs/how-to/read-a-diff.md": places.plain,
    "docs/how-to/recover.md": places.interrupted,
    "docs/how-to/review-a-bump.md": places.moved,
    "docs/how-to/run-on-three-architectures.md": places.evidence,
}
# A block that is left out is counted here, so that none is left out by the way.
LEFT_OUT = {
    ("CONTRIBUTING.md", Reason.CHECKOUT): 1,
    ("README.md", Reason.CHECKOUT): 1,
    ("README.md", Reason.GPU): 1,
    ("README.md", Reason.NETWORK): 1,
    ("docs/how-to/add-a-rule.md", Reason.CHECKOUT): 1,
    ("docs/how-to/add-a-smoke-check.md", Reason.CHECKOUT): 2,
    ("docs/how-to/add-a-smoke-check.md", Reason.GPU): 1,
    ("docs/how-to/build-deepgemm.md", Reason.SYSTEM): 1,
    ("docs/how-to/run-on-three-architectures.md", Reason.CLUSTER): 2,
    ("docs/how-to/run-on-three-architectures.md", Reason.GPU): 1,
    ("docs/tutorial/first-bump.md", Reason.NETWORK): 1,
}
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/how-to/*.md"),
        *ROOT.glob("docs/tutorial/*.md"),
        *ROOT.glob("docs/explanation/*.md"),
    )
)
TUTORIAL = "docs/tutorial/first-bump.md"
# What is typed into a shell, and stands in no fence that is run.
TYPED = re.compile(
    r"^ *(\$ .*|(?:dgpin|make|git|pip|pipx|uvx|bash|pytest|export) [^|(`]*)$", re.MULTILINE
)


def kept(page: str) -> tuple[Block, ...]:
    """Return the blocks that are run here, with the example's names in their commands."""
    return tuple(
        replace(
            block,
            commands=tuple(
                replace(command, text=places.stood_in(command.text)) for command in block.commands
            ),
        )
        for block in read(page)
        if block.left_out is None
    )


@pytest.fixture(name="shop", scope="module")
def _shop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("shop"))


# It compiles three times; `tests/real/test_how_to_build.py` runs it.
SLOW = "docs/how-to/build-deepgemm.md"


@pytest.mark.parametrize("page", sorted({*PLACES} - {SLOW}))
def test_every_command_does_what_the_page_says(page: str, shop: Workshop, tmp_path: Path) -> None:
    """Each command prints what is shown, and ends as is said; 0 where nothing is said."""
    follow(page, shop, tmp_path)


def follow(page: str, shop: Workshop, root: Path) -> None:
    """Type the page's commands where its reader stands, and compare what is claimed."""
    shell.run(
        kept(page),
        cwd=PLACES[page](shop, root / "host"),
        env=places.environment(root / "you"),
        shown={shop.example.url: places.UPSTREAM, shop.example.commits["old"]: places.OLD},
    )


def test_every_page_with_commands_is_run() -> None:
    """No page has blocks that nobody runs."""
    with_blocks = {page for page in PAGES if kept(page)}

    assert with_blocks == {*PLACES, TUTORIAL}


def test_what_is_not_run_is_counted_and_has_a_reason() -> None:
    """A block is left out for a reason of the list, and the page's number of them is known."""
    found = Counter(
        (page, block.left_out)
        for page in PAGES
        for block in read(page)
        if block.left_out is not None
    )

    assert dict(found) == LEFT_OUT


@pytest.mark.parametrize("page", PAGES)
def test_commands_stand_in_fences(page: str) -> None:
    """What is typed into a shell stands in a fence of `console` or `bash`, and nowhere else."""
    text = re.sub(r"(?ms)^( *)```\S*\n.*?^\1```$", "", (ROOT / page).read_text("utf-8"))

    assert [] == [line for line in TYPED.findall(text) if line.startswith("$ ") or "    " in line]


def test_a_page_is_read_as_it_is_meant() -> None:
    """Commands, their continuation, what they show, and the comment above a fence."""
    text = "<!-- run: exit=3 -->\n```console\n$ a \\\n> b\nshown\n$ c\n```\n\n```bash\nd\ne\n```\n"

    first, second = parse("page", text)

    assert [("a \\\nb", ("shown",)), ("c", ())] == [(c.text, c.shown) for c in first.commands]
    assert (3, 2) == (first.exit, first.line)
    assert [("d\ne", None)] == [(c.text, c.shown) for c in second.commands]


@pytest.mark.parametrize(
    ("shown", "code", "complaint"),
    [("hello", 0, ""), ("other", 0, "hello"), ("hello", 1, "ended with 0"), ("…", 0, "")],
)
def test_a_false_page_is_noticed(tmp_path: Path, shown: str, code: int, complaint: str) -> None:
    """The harness itself can fail: on another output, and on another exit code."""
    (block,) = parse("page", f"<!-- run: exit={code} -->\n```console\n$ echo hello\n{shown}\n```\n")

    said = ""
    try:
        shell.run([block], cwd=tmp_path, env=places.environment(tmp_path / "you"))
    except AssertionError as error:
        said = str(error)

    assert complaint in said
    assert bool(complaint) == bool(said)
