"""The page about speed: its measured parts stand between two comments and are never typed."""

import os
import platform
import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/reference/performance.md"


def write(part: str, text: str) -> None:
    """Replace one measured part of the page."""
    begin, end = f"<!-- measured: {part} -->", "<!-- end -->"
    whole = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    page = PAGE.read_text(encoding="utf-8")
    assert len(whole.findall(page)) == 1, part
    new = whole.sub(lambda _: f"{begin}\n{text.strip()}\n{end}", page)
    PAGE.write_text(new, encoding="utf-8")


def read(part: str) -> str:
    """Return one measured part of the page as it stands."""
    begin = f"<!-- measured: {part} -->"
    return PAGE.read_text(encoding="utf-8").partition(begin)[2].partition("<!-- end -->")[0]


def system() -> str:
    """Return the machine in words: processor, cores, system, Python."""
    name = re.search(r"^model name\s*:\s*(.+)$", _text("/proc/cpuinfo"), re.MULTILINE)
    system_ = re.search(r'^PRETTY_NAME="?([^"\n]+)', _text("/etc/os-release"), re.MULTILINE)
    return ", ".join(
        (
            name[1] if name else platform.machine(),
            f"{len(os.sched_getaffinity(0))} cores",
            system_[1] if system_ else platform.system(),
            f"Python {platform.python_version()}",
        )
    )


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError:
        return ""
