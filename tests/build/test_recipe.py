"""A source's recipe, read from its setup.py."""

import pytest

from dgpin.build import recipe
from dgpin.build.recipe import Binding, RecipeError
from tests.build.small import SETUP
from tests.example.deepgemm import sources


@pytest.mark.parametrize(
    ("name", "std", "libraries", "includes"),
    [
        ("old", 17, ("cudart", "nvrtc"), "third-party/fmt/include"),
        ("new", 20, ("cudart",), "third-party/deep_jit/include"),
    ],
)
def test_recipe_of_each_era(name: str, std: int, libraries: tuple[str, ...], includes: str) -> None:
    """Sources, includes, flags and libraries of the fmt and the deep_jit era are read."""
    files = sources()[name]

    found = recipe.parse(files["setup.py"], has=files.__contains__)

    assert ("deep_gemm._C", Binding.PYBIND11) == (found.name, found.binding)
    assert (("csrc/python_api.cpp",), std, libraries) == (
        found.sources,
        found.cxx_std,
        found.libraries,
    )
    assert includes in found.includes
    assert "-O3" in found.flags


def test_flag_of_a_switch_is_left_out() -> None:
    """A flag that setup.py adds under an `if` is no flag of every build."""
    text = SETUP.replace(
        "\nCUDAExtension(",
        "\nflags = ['-O3']\nif SWITCH:\n    flags.append('-DX')\n\nCUDAExtension(",
    )
    text = text.replace("['-std=c++17', '-O0']", "flags")

    found = recipe.parse(text, has=lambda _path: False)

    assert ("-O3",) == found.flags


@pytest.mark.parametrize(
    ("change", "has"),
    [
        (("extra_compile_args", "py_limited_api=True, extra_compile_args"), False),
        (("'-O0'", "'-DPy_LIMITED_API=0x030a0000'"), False),
        (("", ""), True),
    ],
)
def test_torch_library_is_told_by_its_marks(change: tuple[str, str], has: bool) -> None:
    """The limited API in setup.py, or the facade `_C.py`, means one extension for all Pythons."""
    found = recipe.parse(
        SETUP.replace(*change) if change[0] else SETUP,
        has=lambda path: has and path == "deep_gemm/_C.py",
    )

    assert Binding.TORCH_LIBRARY == found.binding


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("def (", "cannot be parsed"),
        pytest.param("x = " + "-" * 100_000 + "1", "cannot be parsed", id="nested"),
        ("print(1)\n", "declares no extension"),
        (SETUP.replace("'third-party/cutlass/include'", "find()"), "known only when it runs"),
    ],
)
def test_unreadable_setup_says_why(text: str, why: str) -> None:
    """A setup.py that does not tell how it builds is refused, not guessed at."""
    with pytest.raises(RecipeError, match=why):
        recipe.parse(text, has=lambda _path: False)


def test_own_modules_are_not_asked_for() -> None:
    """What setup.py imports from the source itself need not be installed."""
    text = f"import wheel\nfrom scripts.stubs import write\n{SETUP}"

    found = recipe.parse(text, has=lambda path: path == "scripts/stubs.py")

    assert ("wheel", "torch") == found.modules
