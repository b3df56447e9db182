"""Every rule that judges a pin is explained, and no other."""

import re
from pathlib import Path

from dgpin import pin

ROOT = Path(__file__).parents[1]
PIN = Path(pin.__file__).parent
MODULES = ("advice", "check", "exports", "hazards", "judge", "move", "offered")
_RULE = re.compile(r'\brule="([a-z-]+)"|_row\(\s*"([a-z-]+)"')


def test_every_rule_is_in_the_reference() -> None:
    """A row's rule is one that a reader can look up."""
    texts = [(PIN / f"{name}.py").read_text(encoding="utf-8") for name in MODULES]
    used = {one or other for text in texts for one, other in _RULE.findall(text)}
    # Named in a conditional, or chosen by the kind of fact.
    used |= {"watch-missing", "site-missing", "floor", "derived", "arch-gate", "file-exists"}

    page = (ROOT / "docs/reference/check-rules.md").read_text(encoding="utf-8")
    table = set(re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE))
    prose = set(re.findall(r"`([a-z-]+)` \(", page))
    assert table | prose == used - {"arches", "files"}
