"""A report to look at: three machines, one of them with an older build, and a damaged file.

`python -m tests.page.example DIR` writes its pictures.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from dgpin.evidence.join import join
from dgpin.render import page
from tests.evidence import documents
from tests.evidence.documents import check, pin_check, smoke

WIDTHS = {"phone": 390, "desk": 1200}


def write(where: Path) -> Path:
    """Write the evidence and its page, and return the page."""
    h200 = smoke(
        "sm_90",
        check("fp8_gemm_spread", warm=0.05),
        check("mixed0_n1", "fail", number=0.221),
        check("paged_n4_b64", "unsupported", number=None),
    )
    b200 = smoke(
        "sm_100", check("fp8_gemm_spread", warm=0.03), check("situ", warm=0.4), digest="d4" * 32
    )
    old = smoke("sm_120", check("fp8_gemm_spread"), headers=documents.OLDER, when="2026-01-01")
    files = [
        documents.write(where / "h200.json", h200),
        documents.write(where / "b200.json", b200),
        documents.write(where / "rtx.json", old),
        documents.write(where / "broken.json", "{"),
        documents.write(where / "check.json", pin_check("ab" * 20, verdict="fail")),
    ]
    target = where / "page.html"
    target.write_text(page.page(join(files)), "utf-8")
    return target


def launch(playwright: Any) -> Any:
    """Start the distribution's Chromium without a window."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    assert found is not None, "the page is looked at in Chromium: apt install chromium"
    return playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])


def _pictures(target: Path) -> None:
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as where, sync_playwright() as playwright:
        browser = launch(playwright)
        os.chdir(where)  # the page names files as they were given
        written = write(Path()).resolve()
        for (name, width), scheme in zip(WIDTHS.items(), ("dark", "light"), strict=True):
            size = {"width": width, "height": 900}
            shown = browser.new_context(viewport=size, color_scheme=scheme).new_page()
            shown.goto(written.as_uri())
            shown.screenshot(path=target / f"report-{name}.png", full_page=True)
        browser.close()


if __name__ == "__main__":
    _pictures(Path(sys.argv[1]).resolve())
