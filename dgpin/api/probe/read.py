"""Read everything public of one build, and write it down as it is.

A script: standard library, torch and the build only, run with -I by the interpreter under test:
`python -I -B read.py ANSWER ROOT now|lazy`. What a docstring or a schema means is not decided here.
"""

import importlib
import inspect
import os
import pkgutil
import re
import sys
from pathlib import Path
from types import ModuleType

if not __package__:
    # Started as a script with -I, which keeps its own directory off sys.path.
    __package__ = "dgpin_probe"
    sys.modules[__package__] = ModuleType(__package__)
    sys.modules[__package__].__path__ = [str(Path(__file__).resolve().parent)]
from . import describe, load, text

FORMAT = 1
EXTENSION_NAME = re.compile(r"_C(_.*)?$")


class Walk:
    """One pass over a loaded package."""

    def __init__(self, package: ModuleType, ops: describe.Ops, answer: load.Answer) -> None:
        self.package = package
        self.ops = ops
        self.answer = answer
        self.symbols: list[dict[str, object]] = []
        self.unreadable: list[dict[str, str]] = []
        self.notes: list[str] = []
        self.groups = describe.Groups()

    def run(self) -> None:
        """Walk the package, the extension beside it, and the raw ops."""
        self.module(load.PACKAGE, self.package, ())
        beside = sys.modules.get(load.EXTENSION)
        if beside is not None:
            self.module(load.EXTENSION, beside, ())
        for name, schemas in sorted(self.ops.schemas.items()):
            path = "torch.ops." + name.replace("::", ".")
            self.symbols.append(
                {
                    "path": path,
                    "kind": "operator",
                    "group": f"op:{name}",
                    "canonical": name,
                    "schemas": schemas,
                }
            )

    def module(self, path: str, module: object, above: "tuple[object, ...]") -> None:
        """Walk one module, its submodules and its names."""
        self.answer.stage(f"read {path}")
        source = text.Module(module)
        names = set(source.lazy) | set(dir(module)) | set(getattr(module, "__all__", None) or ())
        for name in self.import_children(path, module):
            names.add(name)
        if not isinstance(module, ModuleType):
            names |= {op.partition("::")[2] for op in self.ops.schemas}
        for name in sorted(names):
            if not isinstance(name, str) or not self.is_wanted(name, path):
                continue
            try:
                value = getattr(module, name)
            except AttributeError:
                if name in (getattr(module, "__all__", None) or ()):
                    self.unreadable.append(
                        {"path": f"{path}.{name}", "reason": "__all__ names it, it is not there"}
                    )
                continue
            except BaseException as error:  # noqa: BLE001 - a name may compute itself
                self.unreadable.append(
                    {"path": f"{path}.{name}", "reason": f"{type(error).__name__}: {error}"}
                )
                continue
            self.name(f"{path}.{name}", value, source, (*above, module))
        self.notes += source.dropped(path, module)

    def import_children(self, path: str, module: object) -> "list[str]":
        """Import the submodules that lie in the package's directories."""
        found = []
        for info in pkgutil.iter_modules(getattr(module, "__path__", None) or []):
            if not self.is_wanted(info.name, path):
                continue
            self.answer.stage(f"import {path}.{info.name}")
            try:
                importlib.import_module(f"{module.__name__}.{info.name}")  # type: ignore[attr-defined]
            except BaseException as error:  # noqa: BLE001 - an import may raise anything
                why = f"{type(error).__name__}: {error}"
                self.unreadable.append({"path": f"{path}.{info.name}", "reason": why})
                continue
            found.append(info.name)
        return found

    def is_wanted(self, name: str, path: str) -> bool:
        """Tell names of the API from private ones; `_C` is read too, as a private surface."""
        if name == "__version__":
            return path == load.PACKAGE
        if EXTENSION_NAME.match(name):
            return path in (load.PACKAGE, load.EXTENSION)
        return not name.startswith("_")

    def name(
        self,
        path: str,
        value: object,
        source: text.Module,
        above: "tuple[object, ...]",
    ) -> None:
        """Write down one name of a module, unless it only leaked in."""
        name = path.rpartition(".")[2]
        if isinstance(value, ModuleType) or (
            EXTENSION_NAME.match(name) and not inspect.isroutine(value)
        ):
            own = not isinstance(value, ModuleType) or load.belongs(value.__name__)
            if own and not any(value is outer for outer in above):
                self.symbols.append(
                    {"path": path, "kind": "module", "group": self.groups.of(value, path)}
                )
                self.module(path, value, above)
            return
        if source.is_foreign(name) or not describe.is_own(value):
            return
        self.symbols += describe.symbol(path, value, ops=self.ops, groups=self.groups)


def toolchain(torch: ModuleType, package: ModuleType) -> "dict[str, str]":
    """Return what spells types, defaults and layouts."""
    extension = getattr(package, "_C", None)
    function = next(
        (f for f in vars(extension).values() if type(f) is type(len)) if extension else iter(()),
        None,
    )
    record = getattr(function, "__self__", None)
    return {
        "python": ".".join(map(str, sys.version_info[:3])),
        "torch": str(torch.__version__),
        "cuda": str(torch.version.cuda or ""),
        "pybind11": "" if record is None else type(record).__name__,
    }


def main(argv: "list[str]") -> None:
    """Load, walk, answer."""
    path, root, mode = argv
    answer = load.Answer(path)
    value: dict[str, object] = {"format": FORMAT, "mode": mode, "failure": None}
    try:
        found: list[describe.Ops] = []
        torch, package = load.load(
            root,
            lazy=mode == "lazy",
            answer=answer,
            meanwhile=lambda torch: found.append(describe.Ops(torch)),
        )
    except load.LoadError as error:
        value["failure"] = {
            **error.facts,
            "maps": load.maps(),
            "python": ".".join(map(str, sys.version_info[:3])),
        }
    else:
        ops = found[0]
        ops.collect(load.namespaces(package))
        walk = Walk(package, ops, answer)
        walk.run()
        value["toolchain"] = toolchain(torch, package)
        value["version"] = str(getattr(package, "__version__", ""))
        value["file"] = str(getattr(package, "__file__", ""))
        value["symbols"] = walk.symbols
        value["unreadable"] = walk.unreadable
        value["notes"] = walk.notes
    answer.write(value)
    sys.stdout.flush()
    sys.stderr.flush()
    # Exit hooks of CUDA libraries may crash where there is no GPU; the answer is complete.
    os._exit(0)


main(sys.argv[1:])
