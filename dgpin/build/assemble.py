"""The package around the extension: what the source's setup.py would install, minus the compile."""

import shutil
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from dgpin.build import source as sources
from dgpin.build.recipe import Recipe

PACKAGE = "deep_gemm"
# What setup.py writes there when no DG_JIT_* variable is set at build time.
ENVS = "# Pre-installed environment variables\npersistent_envs = dict()\n"
_PYTHON = (".py", ".pyi")


def layout(root: Path, recipe: Recipe) -> dict[str, Path]:
    """Return the files of the package by their place in it: Python modules and the JIT's headers.

    Modules are those of packages, as setuptools finds them; headers are `deep_gemm/include` and
    the third-party trees that setup.py copies beside it.
    """
    files: dict[str, Path] = {}
    for path in sources.files(root, [PACKAGE]):
        place = PurePosixPath(path).relative_to(PACKAGE)
        if place.parts[0] == "include" or (place.suffix in _PYTHON and _is_module(root, place)):
            files[str(place)] = root / path
    for tree in recipe.third_party:
        name = PurePosixPath(tree).name
        for path in sources.files(root, [tree]):
            inner = PurePosixPath(path).relative_to(tree)
            files[f"include/{name}/{inner}"] = root / path
    return files


def _is_module(root: Path, place: PurePosixPath) -> bool:
    folders = [root / PACKAGE / folder for folder in place.parents]
    return all((folder / "__init__.py").is_file() for folder in folders)


def assemble(root: Path, recipe: Recipe, target: Path, *, extensions: Iterable[Path]) -> Path:
    """Write the package below `target` and return its directory.

    Raises:
        OSError: a file cannot be written.
    """
    package = target / PACKAGE
    for place, origin in layout(root, recipe).items():
        path = package / place
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(origin, path)
    (package / "envs.py").write_text(ENVS, encoding="utf-8")
    for extension in extensions:
        shutil.copyfile(extension, package / extension.name)
        (package / extension.name).chmod(0o755)
    return package
