"""`-o FORMAT[=FILE]` can be repeated; one form at most goes to stdout."""

from pathlib import Path

import pytest

from dgpin.cli import output
from dgpin.errors import UsageError

KNOWN = ("text", "json", "markdown")


@pytest.mark.parametrize(
    ("wanted", "json", "expected"),
    [
        (None, False, (("text", None),)),
        (None, True, (("json", None),)),
        (["json"], False, (("json", None),)),
        (["json=a.json", "text"], False, (("json", Path("a.json")), ("text", None))),
        (["json=-"], False, (("json", None),)),
        (["json=./-"], False, (("json", Path("-")),)),
        (["markdown=a=b.md"], True, (("markdown", Path("a=b.md")), ("json", None))),
    ],
)
def test_forms_and_files(
    wanted: list[str] | None, json: bool, expected: tuple[tuple[str, Path | None], ...]
) -> None:
    """Without a word it is text; `--json` is `-o json`."""
    assert expected == output.parse(wanted, json=json, known=KNOWN)


@pytest.mark.parametrize(
    ("wanted", "json"),
    [
        (["yaml"], False),
        (["json", "text"], False),
        (["json", "text=-"], False),
        (["json=a", "text=./a"], False),
        (["text"], True),
        ([""], False),
    ],
)
def test_what_cannot_be_is_refused(wanted: list[str], json: bool) -> None:
    """An unknown form, and two forms for one file or one stdout."""
    with pytest.raises(UsageError):
        output.parse(wanted, json=json, known=KNOWN)


def test_a_result_goes_to_its_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file gets the form without colour, and stdout nothing of it."""
    target = tmp_path / "out.txt"

    output.write({"text": lambda: ((("x", "bold"),),)}, [("text", target)])

    assert (target.read_text(), capsys.readouterr().out) == ("x\n", "")
