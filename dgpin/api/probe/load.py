"""Load one build in the interpreter under test, and say at which stage it stands."""

import ctypes
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

PACKAGE = "deep_gemm"
# Until v2.1 the extension was a module of its own, beside the package.
EXTENSION = "deep_gemm_cpp"


def belongs(name: str) -> bool:
    """Tell whether a module's name is the build's own."""
    return name.split(".", maxsplit=1)[0] in (PACKAGE, EXTENSION)


class Finder(importlib.abc.MetaPathFinder):
    """Finds the build in one directory and nothing else there.

    Putting the directory on sys.path instead would let its neighbours shadow torch's own needs.
    """

    def __init__(self, root: str) -> None:
        self.root = root

    def find_spec(
        self, name: str, path: object = None, target: "ModuleType | None" = None
    ) -> "importlib.machinery.ModuleSpec | None":
        """Answer for the build's top-level names; importlib does the rest."""
        del path  # top-level names have none
        if name not in (PACKAGE, EXTENSION):
            return None
        return importlib.machinery.PathFinder.find_spec(name, [self.root], target)


class Answer:
    """The file in which the answer is handed back; output belongs to the library.

    A stage is written before each step, so that a step that ends the process is known.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    def stage(self, name: str) -> None:
        """Note what is done next."""
        Path(self.path + ".stage").write_text(name, encoding="utf-8")

    def write(self, value: object) -> None:
        """Write the answer whole, and end without the library's exit hooks."""
        draft = Path(self.path + ".new")
        draft.write_text(json.dumps(value), encoding="utf-8")
        draft.replace(self.path)


class LoadError(Exception):
    """A module that did not load; the reader of the answer explains it."""

    def __init__(self, stage: str, error: BaseException) -> None:
        super().__init__(stage)
        frames = traceback.extract_tb(error.__traceback__)
        own = [f for f in frames if f.filename != __file__ and "<frozen" not in f.filename]
        last = own[-1] if own else None
        self.facts = {
            "stage": stage,
            "type": type(error).__name__,
            "message": str(error),
            "line": (last.line or "") if last else "",
            "place": f"{last.filename}:{last.lineno}" if last else "",
            "missing": getattr(error, "name", None) or "",
        }


def load(
    root: str, *, lazy: bool, answer: Answer, meanwhile: "Callable[[ModuleType], object]" = id
) -> "tuple[ModuleType, ModuleType]":
    """Import torch and the build; return both. `meanwhile` gets torch before the build loads.

    `root` is the directory that holds the package, "" for what the interpreter finds itself.
    `lazy` binds the functions of shared objects at their first call: enough for reading.

    Raises:
        LoadError: one of them does not load.
    """
    answer.stage("import torch")
    try:
        torch = importlib.import_module("torch")
    except BaseException as error:  # an import may raise anything, SystemExit too
        raise LoadError("torch", error) from error
    meanwhile(torch)
    if root:
        sys.meta_path.insert(0, Finder(root))
    if lazy:
        sys.setdlopenflags(os.RTLD_LAZY | ctypes.DEFAULT_MODE)
    answer.stage(f"import {PACKAGE}")
    try:
        package = importlib.import_module(PACKAGE)
    except BaseException as error:  # an import may raise anything, SystemExit too
        raise LoadError("build", error) from error
    return torch, package


def namespaces(package: ModuleType) -> "Callable[[str], bool]":
    """Return whether the build's shared objects could have registered ops under a name."""
    images = [
        Path(entry.path).read_bytes()
        for folder in getattr(package, "__path__", [])
        for entry in os.scandir(folder)
        if ".so" in entry.name and entry.is_file()
    ]

    def registered(name: str) -> bool:
        text = name.encode()
        return belongs(name) or any(b"\0" + text + b"\0" in image for image in images)

    return registered


def maps() -> "list[str]":
    """Return the shared objects of this process, for naming a library that was found instead."""
    try:
        lines = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    paths = {line.split(None, 5)[5].strip() for line in lines if "/" in line}
    return sorted(path for path in paths if ".so" in path)
