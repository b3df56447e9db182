"""Answers of an earlier run, kept by everything that went into them."""

import hashlib
from collections.abc import Callable
from dataclasses import replace

from dgpin import cache, record
from dgpin.verify.answer import Answer, Step


def answer(step: Step, inputs: str, make: Callable[[], Answer]) -> Answer:
    """Return a step's answer, from the cache where the same inputs were answered before.

    `inputs` is a text that differs where anything differs that the answer depends on; "" where
    that cannot be told, and then the answer is made.

    Raises:
        DgpinError: as `make`; a failure is not kept.
    """
    if not inputs:
        return make()
    digest = hashlib.sha256(inputs.encode(errors="surrogateescape")).hexdigest()
    name = f"verify/{step.value}-{digest[:32]}.json"
    found = _load(name, step)
    if found is None:
        found = make()
        cache.write_json(name, record.to_json(found))
    return found


def _load(name: str, step: Step) -> Answer | None:
    value = cache.read_json(name)
    if value is None:
        return None
    try:
        found: Answer = record.from_json(Answer, value)
    except (KeyError, TypeError, ValueError):
        return None
    return replace(found, reused=True) if found.step is step else None
