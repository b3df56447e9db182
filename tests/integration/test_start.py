"""A command loads what it needs and nothing that only others need."""

import sys

import pytest

from dgpin import process
from tests.world import World

_SAY = """
import sys
from dgpin.cli.app import main
main(sys.argv[1:])
print("loaded", *sorted({name.split(".")[0] for name in sys.modules}))
"""
_HEAVY = {"pydantic", "rich", "git", "httpx", "tomlkit", "tree_sitter", "elftools", "asyncio"}


@pytest.mark.parametrize("words", [("check",), ("show",), ("explain",), ("--version",)])
def test_nothing_heavy_is_loaded(words: tuple[str, ...], world: World) -> None:
    """What reads a host's sites or a rule loads neither a converter nor a parser of C++."""
    done = process.run([sys.executable, "-c", _SAY, *words], cwd=world.host)

    loaded = set(done.text.splitlines()[-1].split())
    assert ("loaded" in loaded, loaded & _HEAVY) == (True, set())
