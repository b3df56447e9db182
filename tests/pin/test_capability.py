"""What a newer source lost, and what changed in how it is built."""

from functools import cache

import pytest

from dgpin.pin.capability import Loss, LossKind, accept, losses, recipe_changes
from dgpin.pin.derive import derive
from dgpin.pin.facts import Fact, Facts
from dgpin.verdict import Place
from tests.example.tree import example_tree

IMPLS = "deep_gemm/include/deep_gemm/impls"


@cache
def facts(name: str) -> Facts:
    return derive(example_tree(name), commit="0" * 40)


def of(**lists: tuple[str, ...]) -> Facts:
    """Return facts that consist of these lists."""
    return Facts(
        commit="0" * 40, facts={name: Fact(name=name, value=value) for name, value in lists.items()}
    )


def names(old: Facts, new: Facts) -> list[str]:
    return [loss.name for loss in losses(old, new)]


def test_architecture() -> None:
    """A branch without the SM120 kernels loses sm_120, its families with it, and old names."""
    assert (
        Loss(
            kind=LossKind.ARCHITECTURE,
            name="sm_120",
            place=Place(f"{IMPLS}/sm120_fp8_gemm_1d1d.cuh"),
            covers=("sm120_fp8_gemm_1d1d", "sm120_paged_mqa_logits"),
        ),
        Loss(
            kind=LossKind.EXPORT,
            name="deep_gemm.fp8_m_grouped_gemm_nt_masked",
            place=Place("deep_gemm/__init__.py", 20),
        ),
    ) == losses(facts("sm120"), facts("new"))


def test_port_keeps_the_architecture() -> None:
    """With the kernels ported only the alias is lost."""
    assert ["deep_gemm.fp8_m_grouped_gemm_nt_masked"] == names(facts("sm120"), facts("port"))


@pytest.mark.parametrize("name", ["first", "old", "sm120", "new", "port"])
def test_nothing_is_lost_against_itself(name: str) -> None:
    """A source loses nothing against itself, and its recipe is the same."""
    assert () == losses(facts(name), facts(name))
    assert () == recipe_changes(facts(name), facts(name))


def test_family() -> None:
    """A family that goes while its architecture stays is a loss of its own."""
    old = of(arches=("sm_120",), families=("sm120_gemm", "sm120_paged_mqa_logits"))
    new = of(arches=("sm_120",), families=("sm120_gemm",))

    assert ["sm120_paged_mqa_logits"] == names(old, new)


def test_likeness_is_not_membership() -> None:
    """sm_10 does not cover the families of sm_100."""
    old = of(arches=("sm_10", "sm_100"), families=("sm10_a", "sm100_a"))
    new = of(arches=("sm_100",), families=())

    assert [("sm_10", ("sm10_a",)), ("sm100_a", ())] == [
        (loss.name, loss.covers) for loss in losses(old, new)
    ]


def test_untold_is_not_lost() -> None:
    """What the new source does not tell proves no loss."""
    old = of(exports=("a",))
    open_ = Facts(commit="0" * 40, facts=of(exports=()).facts, unknown={"exports": "broken"})

    assert [] == names(old, of())
    assert [] == names(old, open_)
    assert ["deep_gemm.a"] == names(old, of(exports=()))


def test_gain_is_no_loss() -> None:
    """What is new is no loss."""
    assert () == losses(of(exports=()), of(exports=("a",)))


def test_accept() -> None:
    """Each loss is accepted by its own name; a name that names none is told."""
    found = losses(of(arches=("sm_120",), exports=("a",)), of(arches=(), exports=()))

    answer = accept(found, ["sm_120", "sm_121", "sm_120"])

    assert ["sm_120"] == [loss.name for loss in answer.accepted]
    assert ["deep_gemm.a"] == [loss.name for loss in answer.refused]
    assert ("sm_121",) == answer.unused


def test_recipe() -> None:
    """The step to 2.8.0 is told: a script gone, another standard, library and submodule."""
    found = {
        change.fact: (change.removed, change.added)
        for change in recipe_changes(facts("old"), facts("new"))
    }

    assert {
        "entry_points": (("install.sh",), ()),
        "cxx_std": (("17",), ("20",)),
        "submodules": (("third-party/fmt",), ("third-party/deep_jit",)),
        "includes": (("third-party/fmt/include",), ("third-party/deep_jit/include",)),
        "libraries": (("nvrtc",), ()),
        "environment": (("DG_USE_LOCAL_VERSION=1",), ("DG_USE_LOCAL_VERSION=0",)),
        "packages.rpm": ((), ("elfutils-devel",)),
        "packages.deb": ((), ("libdw-dev",)),
        "packages.apk": ((), ("elfutils-dev",)),
        "gcc_min": (("8",), ("13",)),
        "cuda_min": (("12.3",), ("12.9",)),
        "modules": ((), ("locality_domain",)),
    } == found


def test_entry_point_added() -> None:
    """A way to build that is new is told, with the file."""
    old = derive(example_tree("old", without=()), commit="0" * 40)
    new = derive(example_tree("old", changed={"build.sh": "x\n"}), commit="0" * 40)

    [change] = recipe_changes(old, new)

    assert ("entry_points", (), ("build.sh",)) == (change.fact, change.removed, change.added)
    assert (Place("build.sh"),) == change.new_places


def test_binding() -> None:
    """A change of the binding is told first, with the lines on both sides."""
    binding = "#include <torch/library.h>\nTORCH_LIBRARY(deep_gemm, m) {}\n"
    new = derive(example_tree("new", changed={"csrc/python_api.cpp": binding}), commit="0" * 40)

    change = recipe_changes(facts("new"), new)[0]

    assert ("binding", ("pybind11",), ("torch-library",)) == (
        change.fact, change.removed, change.added,
    )  # fmt: skip
    assert (Place("csrc/python_api.cpp", 14),) == change.old_places
    assert (Place("csrc/python_api.cpp", 2),) == change.new_places


def test_untold_recipe_is_no_change() -> None:
    """What one of the sources leaves open is no change."""
    lacking = derive(example_tree("new", without=("third-party/deep_jit",)), commit="0" * 40)

    found = {change.fact for change in recipe_changes(facts("old"), lacking)}

    assert {"gcc_min", "cuda_min", "packages.rpm"}.isdisjoint(found)
    assert "submodules" in found


def test_a_submodule_that_is_there_is_no_loss() -> None:
    """`deep_gemm.mega` stays an attribute when `__init__` only imports from it."""
    old = of(exports=("mega", "gone"), subpackages=("mega",))
    new = of(exports=("other",), subpackages=("mega",))

    assert ["deep_gemm.gone"] == names(old, new)
