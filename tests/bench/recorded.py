"""Ratios of this run against those that the documentation holds: slower is said, not failed."""

import re
from collections.abc import Iterator, Mapping

from tests.bench import page
from tests.bench.measure import Row

NOISE = 1.3  # two runs of one commit on a shared machine differ by less
_ROW = re.compile(r"^\| `([\w-]+)` \|.*?\| ([\d.]+) \(([\d.]+) to ([\d.]+)\) \|", re.MULTILINE)


def notices(rows: Mapping[str, Row]) -> Iterator[str]:
    """Yield a line for each row whose ratio is worse than the recorded one by more than noise.

    Ratios can be held against those of another machine, seconds cannot. Worse means that the
    quartile which speaks for this run is beyond the one that speaks against the recorded run.
    """
    known = {key: tuple(map(float, numbers)) for key, *numbers in _ROW.findall(page.read("times"))}
    for key, row in rows.items():
        if row.ratio is None or key not in known:
            continue
        was, low, high = known[key]
        if "at least" in row.limit:
            worse = row.ratio.high * NOISE < low
        else:
            worse = row.ratio.low > high * NOISE
        if worse:
            yield (
                f"::notice title=slower than recorded::{row.title}: the ratio is {row.ratio}, "
                f"it was {was} when docs/reference/performance.md was written"
            )
