"""The picture of growth: plain SVG, one panel for each row that has points."""

from collections.abc import Iterator, Mapping
from math import log10
from pathlib import Path

from tests.bench.measure import Row

PICTURE = Path(__file__).parents[2] / "docs/images/growth.svg"
_WIDTH, _HEIGHT, _GAP = 260, 170, 60
_SHADES = ("#1f6feb", "#1a7f37", "#9a6700", "#8250df")


def write(rows: Mapping[str, Row]) -> None:
    """Write the picture of these rows."""
    PICTURE.write_text(draw([row for row in rows.values() if row.points]), encoding="utf-8")


def draw(rows: list[Row]) -> str:
    """Return the picture: how many units across, what one more costs upwards, from 0."""
    columns, lines = 2, (len(rows) + 1) // 2
    width, height = columns * (_WIDTH + _GAP) + _GAP, lines * (_HEIGHT + _GAP) + _GAP // 2
    panels = "".join(
        f'<g transform="translate({_GAP + i % 2 * (_WIDTH + _GAP)} '
        f'{_GAP // 2 + i // 2 * (_HEIGHT + _GAP)})">{"".join(_panel(row, _SHADES[i % 4]))}</g>\n'
        for i, row in enumerate(rows)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'font-family="sans-serif" font-size="11" fill="#1f2328">\n'
        "<title>What one more unit costs as the work grows</title>\n"
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n{panels}</svg>\n'
    )


def _panel(row: Row, shade: str) -> Iterator[str]:
    counts = [count for count, _ in row.points]
    first, last = log10(counts[0]), log10(counts[-1])
    top = max(unit for _, unit in row.points) * 1.25
    at = [
        ((log10(count) - first) / (last - first) * _WIDTH, _HEIGHT * (1 - max(unit, 0) / top))
        for count, unit in row.points
    ]
    title = row.title.replace("`", "").partition(", processor time")[0]
    yield f'<text y="-10" font-weight="bold">{title}</text>'
    yield f'<path d="M0 0V{_HEIGHT}H{_WIDTH}" fill="none" stroke="#8c959f"/>'
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
    yield f'<polyline points="{line}" fill="none" stroke="{shade}" stroke-width="2"/>'
    for (x, y), (count, unit) in zip(at, row.points, strict=True):
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{shade}"/>'
        yield f'<text x="{x:.1f}" y="{y - 8:.1f}" text-anchor="middle">{unit * 1e6:.0f} µs</text>'
        yield f'<text x="{x:.1f}" y="{_HEIGHT + 16}" text-anchor="middle">{count:,}</text>'
