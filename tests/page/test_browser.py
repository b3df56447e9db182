"""The report's page in a real browser: `make test-page` needs Chromium on PATH."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, sync_playwright

from tests.page import example


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example's page."""
    return example.write(tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium of the distribution, without a window."""
    with sync_playwright() as playwright:
        chromium = example.launch(playwright)
        yield chromium
        chromium.close()


@pytest.fixture(params=[(w, s) for w in example.WIDTHS for s in ("light", "dark")], ids="-".join)
def opened(request: pytest.FixtureRequest, browser: Any, written: Path) -> Iterator[Page]:
    """The page at one width in one scheme; what it says on the console or asks for is kept."""
    width, scheme = request.param
    context = browser.new_context(
        viewport={"width": example.WIDTHS[width], "height": 900}, color_scheme=scheme, offline=True
    )
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: said.append(request.url))
    page.goto(written.as_uri())
    yield page
    assert [written.as_uri()] == said
    context.close()


def test_nothing_sticks_out(opened: Page) -> None:
    """The page itself never scrolls sideways."""
    assert opened.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_accessible(opened: Page) -> None:
    """Every rule of axe holds."""
    found = Axe().run(opened)

    assert 0 == found.violations_count, found.generate_report()


def test_text_is_found(opened: Page) -> None:
    """The browser's own search finds verdicts, numbers and raw evidence."""
    for text in ("failed on sm_90", "0.221", "another source", "headers_sha256"):
        assert opened.evaluate("text => document.body.textContent.includes(text)", text)


def test_sorting(opened: Page) -> None:
    """A click on a heading sorts by number, a second click the other way round."""
    table = opened.locator("table", has_text="Median of each check")
    heading = table.get_by_role("button", name="time")
    cells = "table => [...table.tBodies[0].rows].map(row => row.cells[2].textContent)"

    heading.click()
    rising = table.evaluate(cells)
    heading.click()

    assert ["0.060 ms", "0.100 ms", "0.800 ms"] == rising
    assert rising[::-1] == table.evaluate(cells)
    assert "descending" == heading.locator("..").get_attribute("aria-sort")


def test_keyboard(opened: Page) -> None:
    """Headings can be reached and used without a mouse."""
    heading = opened.get_by_role("button", name="check").first
    heading.focus()
    opened.keyboard.press("Enter")

    assert "ascending" == heading.locator("..").get_attribute("aria-sort")


def test_evidence_is_saved(opened: Page, written: Path) -> None:
    """The raw evidence can be saved as it was."""
    opened.locator("details", has_text="h200.json").locator("summary").click()
    with opened.expect_download() as download:
        opened.get_by_role("link", name="h200.json").click()

    assert (written.parent / "h200.json").read_bytes() == Path(download.value.path()).read_bytes()
