"""The architectures that matter to a host."""

from dgpin.pin import facts as cached
from dgpin.pin import grammar
from dgpin.pin.sites import Reading


def architectures(reading: Reading, commit: str | None) -> tuple[str, ...]:
    """Return what the host enables, else what the source of a commit has kernels for."""
    gates = {grammar.family(site.hole.value) for site in reading.sites("arches")}
    if not gates and commit and (known := cached.load(commit)) is not None:
        gates = set(known.items("arches"))
    return tuple(sorted(gates, key=_number))


def _number(arch: str) -> int:
    digits = arch.removeprefix("sm_")
    return int(digits) if digits.isdigit() else 0
