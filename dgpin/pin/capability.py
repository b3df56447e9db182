"""What one source can do and another cannot, and what changed in how it is built."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from dgpin.pin.facts import Facts
from dgpin.verdict import Place


class LossKind(str, Enum):
    """What kind of thing was lost; the value is also the name of the fact that held it."""

    ARCHITECTURE = "arches"
    FAMILY = "families"
    EXPORT = "exports"


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """Something that the old source has and the new one lacks.

    `name` is what `--accept-loss` takes: an architecture (`sm_120`), a kernel family
    (`sm120_paged_mqa_logits`) or an exported name (`deep_gemm.fp8_gemm_nt`). `place` lies in the
    old source. `covers` holds the kernel families that go with an architecture.
    """

    kind: LossKind
    name: str
    place: Place | None = None
    covers: tuple[str, ...] = ()


def losses(old: Facts, new: Facts) -> tuple[Loss, ...]:
    """Return what the new source no longer has: architectures, then families, then names.

    A family of an architecture that is lost as a whole is covered by that loss and not listed.
    A list that the new source does not tell proves no loss.
    """
    found: list[Loss] = []
    covered: set[str] = set()
    for arch, place in _gone(old, new, LossKind.ARCHITECTURE):
        prefix = arch.replace("_", "") + "_"
        families = tuple(name for name in old.items("families") if name.startswith(prefix))
        covered.update(families)
        found.append(Loss(kind=LossKind.ARCHITECTURE, name=arch, place=place, covers=families))
    for family, place in _gone(old, new, LossKind.FAMILY):
        if family not in covered:
            found.append(Loss(kind=LossKind.FAMILY, name=family, place=place))
    for name, place in _gone(old, new, LossKind.EXPORT):
        found.append(Loss(kind=LossKind.EXPORT, name=f"deep_gemm.{name}", place=place))
    return tuple(found)


def _gone(old: Facts, new: Facts, kind: LossKind) -> Iterable[tuple[str, Place | None]]:
    if kind.value not in new.facts or kind.value in new.unknown:
        return
    kept = set(new.items(kind.value))
    if kind is LossKind.EXPORT:
        # A submodule that is there is an attribute, whichever way `__init__` imports from it.
        kept |= {*new.items("modules"), *new.items("subpackages")}
    for item in old.items(kind.value):
        if item not in kept:
            yield item, old.place(kind.value, item)


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance:
    """How the names given to `--accept-loss` meet the losses."""

    accepted: tuple[Loss, ...]
    refused: tuple[Loss, ...]
    unused: tuple[str, ...]  # names that name no loss


def accept(found: Sequence[Loss], names: Iterable[str]) -> Acceptance:
    """Split losses into those that are accepted by name and those that are not.

    An architecture's loss covers its families, which are no losses of their own.
    """
    given = tuple(dict.fromkeys(names))
    known = {loss.name for loss in found}
    return Acceptance(
        accepted=tuple(loss for loss in found if loss.name in given),
        refused=tuple(loss for loss in found if loss.name not in given),
        unused=tuple(name for name in given if name not in known),
    )


# What a host's build script may rely on, in the order in which a reader asks.
_RECIPE = (
    "binding", "abi", "extension", "sources", "entry_points", "cxx_std", "submodules", "includes",
    "libraries", "environment", "packages.rpm", "packages.deb", "packages.apk", "gcc_min",
    "cuda_min", "modules", "subpackages",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeChange:
    """A difference in how the two sources are built.

    For a scalar fact `removed` and `added` hold its old and its new value, if it has one.
    """

    fact: str
    removed: tuple[str, ...]
    added: tuple[str, ...]
    old_places: tuple[Place, ...] = ()
    new_places: tuple[Place, ...] = ()


def recipe_changes(old: Facts, new: Facts) -> tuple[RecipeChange, ...]:
    """Return what changed in how the source is built; what either source does not tell is none."""
    found: list[RecipeChange] = []
    for name in _RECIPE:
        if name in old.unknown or name in new.unknown:
            continue
        before, after = _values(old, name), _values(new, name)
        removed = tuple(value for value in before if value not in after)
        added = tuple(value for value in after if value not in before)
        if removed or added:
            found.append(
                RecipeChange(
                    fact=name,
                    removed=removed,
                    added=added,
                    old_places=_places(old, name, removed),
                    new_places=_places(new, name, added),
                )
            )
    return tuple(found)


def _values(facts: Facts, name: str) -> tuple[str, ...]:
    scalar = facts.scalar(name)
    return facts.items(name) if scalar is None else (scalar,)


def _places(facts: Facts, name: str, values: Iterable[str]) -> tuple[Place, ...]:
    if facts.scalar(name) is not None:
        return facts.origin(name)
    places = (facts.place(name, value) for value in values)
    return tuple(place for place in places if place is not None)
