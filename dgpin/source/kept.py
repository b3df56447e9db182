"""Carry's answers, kept by what was compared: over the same contents the answer is the same."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache as remember
from pathlib import Path

from dgpin import cache, record
from dgpin.source.losses import Carried, accept
from dgpin.source.sides import Side, is_compared


def carried(
    old: Side,
    new: Side,
    *,
    upstream: Side | None = None,
    accepted: Mapping[str, str],
    limit: float | None = None,
) -> Carried:
    """Return what of the old source is lost in the new one, from the cache where it is there.

    `accepted` is as in `losses.accept`, `limit` as in `carry.carry`.

    Raises:
        UnavailableError: the history could not be read, or not in time.
    """
    name = _name(old, new, upstream)
    found = _load(name)
    if found is None:
        from dgpin.source.carry import carry  # noqa: PLC0415 - a known answer needs none of it

        found = carry(old, new, upstream=upstream, limit=limit)
        cache.write_json(name, record.to_json(found))
    label = upstream.label if upstream is not None else ""
    labelled = replace(found, old=old.label, new=new.label, upstream=label)
    return accept(labelled, accepted)


def _load(name: str) -> Carried | None:
    value = cache.read_json(name)
    if value is None:
        return None
    try:
        found: Carried = record.from_json(Carried, value)
    except (KeyError, TypeError, ValueError):
        return None
    return replace(found, reused=True)


def _name(*sides: Side | None) -> str:
    """Return the name of an answer: a hash of all that goes into it."""
    parts = [_version(), *map(_identity, sides)]
    return f"carry/{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:32]}.json"


def _identity(side: Side | None) -> str:
    if side is None:
        return ""
    if side.commit:
        return side.commit
    total = hashlib.sha256(side.prefix.encode())
    for path in sorted(side.tree.paths()):
        if is_compared(path):
            total.update(f"{path}\0".encode(errors="surrogateescape"))
            total.update(hashlib.sha256(side.tree.read(path)).digest())
    return f"files {total.hexdigest()}"


@remember
def _version() -> str:
    """Return what tells one state of the comparison from another."""
    files = [*sorted(Path(__file__).parent.glob("*.py")), Path(record.__file__)]
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()
