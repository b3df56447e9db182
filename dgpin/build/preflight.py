"""Everything that a build needs, looked for before the compiler starts: one table."""

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from dgpin.build import flags, machine_rows, source_rows
from dgpin.build.recipe import Recipe
from dgpin.build.table import Preflight
from dgpin.build.toolchain import Toolchain


def inspect(
    recipe: Recipe,
    source: Path,
    toolchain: Toolchain,
    *,
    room: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free,
) -> Preflight:
    """Look for everything that compiling this source with this toolchain needs.

    Raises:
        HangingCompilerError: a compiler that does not come to an end.
    """
    with ThreadPoolExecutor() as pool:
        linking = pool.submit(flags.libraries, recipe, toolchain)
        # As lists: a generator would not begin before its rows are taken, here.
        closing = pool.submit(lambda: [*source_rows.of_headers(recipe, source, toolchain)])
        probing = pool.submit(lambda: [*machine_rows.of_compiler(recipe, toolchain)])
        first = [
            *machine_rows.of_interpreters(toolchain),
            *machine_rows.of_torch(toolchain),
            *machine_rows.of_toolkit(toolchain),
        ]
        rest = [
            *probing.result(),
            *closing.result(),
            *source_rows.of_libraries(linking.result(), toolchain),
            *machine_rows.of_tools(recipe, toolchain),
            *machine_rows.of_disk(room),
        ]
    libraries = linking.result()
    return Preflight(toolchain=toolchain, items=(*first, *rest), libraries=libraries)
