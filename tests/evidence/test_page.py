"""The report as one page, and as Markdown."""

import base64
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from dgpin.evidence.join import Joined, join
from dgpin.render import page, report
from dgpin.render.hidden import hide
from dgpin.render.terminal import plain
from tests.evidence import documents
from tests.evidence.documents import check, pin_check, smoke

EVIL = "</pre><script>alert(1)</script>|`*<b>"


@pytest.fixture
def joined(tmp_path: Path) -> Joined:
    """A report with every part, and with text that would break out of it."""
    failed = check("mixed0", "fail", number=0.221)
    failed["explanation"]["what"] = EVIL
    run = smoke("sm_90", check("gemm", warm=0.05), failed)
    files = [
        documents.write(tmp_path / "h200.json", run),
        documents.write(tmp_path / "b200.json", smoke("sm_100", check("gemm", warm=0.025))),
        documents.write(tmp_path / "check.json", pin_check("ab" * 20, verdict="fail")),
        documents.write(tmp_path / "broken.json", EVIL),
    ]
    return join(files)


class Outline(HTMLParser):
    """Collects tags, and complains about those that do not close."""

    VOID = ("meta", "br", "wbr")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in {"href", "src"}]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag == self.open.pop()

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_page_is_whole(joined: Joined) -> None:
    """Every tag closes, there is one script, and nothing is fetched."""
    outline = Outline()
    outline.feed(page.page(joined))

    assert [] == outline.open
    assert (1, 1, 1) == tuple(outline.tags.count(tag) for tag in ("script", "style", "main"))
    assert all(link.startswith(("#", "data:")) for link in outline.links)


def test_page_says_everything(joined: Joined) -> None:
    """The page has the verdict, the matrix with its numbers, the times and the raw evidence."""
    outline = Outline()
    outline.feed(page.page(joined))
    text = "".join(outline.texts)

    for part in (
        "failed on sm_90; proven on sm_100; pin sites: findings; 1 refused",
        "0.221 (limit 1e-05)",
        "0.100 ms",
        "NVIDIA H200",
        "the host enables sm_120",
        '"headers_sha256"',
        EVIL,
    ):
        assert part in text


def test_no_credential_is_shown(tmp_path: Path) -> None:
    """Evidence that somebody else wrote may hold one: in base64, or where a line may break."""
    secret = pin_check(None, verdict="fail")
    secret["host"] = secret["rows"][0]["message"] = "https://token@example.org/host"
    text = hide(page.page(join([documents.write(tmp_path / "a.json", secret)])))
    data = re.search(r"base64,([^\"]+)\"", text)

    assert "token" not in text
    assert data is not None
    assert b"https://example.org/host" in base64.b64decode(data[1])


def test_a_finding_of_several_files_is_said_once(tmp_path: Path) -> None:
    """The headline names what was found, the sections where."""
    files = [
        documents.write(tmp_path / f"{n}.json", pin_check(None, verdict="fail")) for n in range(3)
    ]

    assert "pin sites: findings" == report.headline(join(files))


def test_evidence_cannot_run(joined: Joined) -> None:
    """What stands in the evidence is text, and the policy lets nothing else run."""
    text = page.page(joined)

    assert "<script>alert" not in text
    assert re.search(
        r"default-src 'none'; img-src data:; style-src 'sha256-[\w+/=]+'; script", text
    )


def test_two_sections_of_one_kind(tmp_path: Path) -> None:
    """Each of two files of one command is judged by itself."""
    files = [
        documents.write(tmp_path / f"{verdict}.json", pin_check(None, verdict=verdict))
        for verdict in ("pass", "fail")
    ]
    heads = re.findall(r"Pin sites: <span class=\"(\w+)\"", page.page(join(files)))

    assert ["pass", "fail"] == heads


def test_longest_bar(joined: Joined) -> None:
    """The slowest check has the longest bar, the others theirs in proportion."""
    widths = re.findall(r'rect width="([\d.]+)"', page.page(joined))

    assert ["100.00", "50.00"] == widths


def test_markdown(joined: Joined) -> None:
    """In Markdown no cell breaks its table."""
    text = report.markdown(joined)
    rows = [line for line in text.split("\n") if line.startswith("| mixed0")]

    assert ["| mixed0 | fail 0.221 (limit 1e-05) |  |"] == rows
    assert all(line.endswith("|") for line in text.split("\n") if line.startswith("|"))


def test_text(joined: Joined) -> None:
    """The text has one line an architecture, one a check, and every refusal."""
    text = plain(report.text(joined))

    assert "FAIL     failed on sm_90; proven on sm_100" in text
    assert re.search(r"^mixed0\s+FAIL\s+-\s*$", text, re.MULTILINE)
    assert re.search(r"^refused  \S+broken.json is damaged: it is not JSON$", text, re.MULTILINE)
