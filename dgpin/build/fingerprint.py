"""What a build was made of: same fingerprint, same build."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dgpin.build import compiler as compilers
from dgpin.build import flags
from dgpin.build.recipe import Binding, Recipe
from dgpin.build.source import Source
from dgpin.build.toolchain import Toolchain

# Raised when dgpin assembles builds in another way, so that old ones are not taken for new.
LAYOUT = "1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """The inputs of a build by name, all of them text. The key of the cache is made of them."""

    components: Mapping[str, str]

    @property
    def key(self) -> str:
        """The name of the build in the cache."""
        text = json.dumps(dict(self.components), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    def as_json(self) -> dict[str, Any]:
        """Return the value that is stored beside a build."""
        return {"schema": 1, "key": self.key, "components": dict(self.components)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A component that is not what it was; empty where one side has it not."""

    component: str
    was: str
    now: str


def of(recipe: Recipe, source: Source, toolchain: Toolchain, *, limited: bool) -> Fingerprint:
    """Return the fingerprint that a build of this source with this toolchain would have.

    `limited` says that one extension serves every Python.
    """
    torch, toolkit, compiler = toolchain.torch, toolchain.toolkit, toolchain.compiler
    wanted = [flag for flag in recipe.flags if not flag.startswith("-std=")]
    wanted.append(f"-std=c++{flags.standard(recipe, torch)}")
    listens: tuple[str, ...] = (*compilers.SEARCHED, "GCC_EXEC_PREFIX")
    if recipe.binding is Binding.TORCH_LIBRARY:
        listens += ("CC", "CFLAGS", "LDSHARED")  # what setuptools reads besides
    heard = [f"{name}={toolchain.env[name]}" for name in listens if toolchain.env.get(name)]
    others = [f"{it.version} git {it.git} of {each.short}" for each, it in toolchain.others]
    return Fingerprint(
        components={
            "commit": source.commit + (" and changes" if source.dirty else ""),
            "submodules": " ".join(f"{each.path}={each.present}" for each in source.submodules),
            "source": source.digest,
            "binding": recipe.binding.value,
            "torch": f"{torch.version} git {torch.git}" if torch else "",
            "cuda": f"{toolkit.version} in {toolkit.home}" if toolkit else "",
            "compiler": f"{compiler.kind} {compiler.version}" if compiler else "",
            "flags": " ".join(wanted),
            "CXX": " ".join(compiler.command) if compiler else "",
            "CXXFLAGS": " ".join(compiler.flags) if compiler else "",
            "LDFLAGS": " ".join(compiler.link_flags) if compiler else "",
            "python": "abi3"
            if limited
            else " ".join(sorted(each.ext_suffix for each in toolchain.interpreters)),
            "layout": LAYOUT,
            # The import is tried with these, and they are rarely there.
            **({"other torches": ", ".join(others)} if others else {}),
            **({"environment": " ".join(heard)} if heard else {}),
        }
    )


def limited_api(recipe: Recipe) -> bool:
    """Whether one extension serves every Python."""
    return recipe.binding is Binding.TORCH_LIBRARY


def load(path: Path) -> Fingerprint | None:
    """Return the fingerprint stored in a file, or None when there is no sound one."""
    try:
        value = json.loads(path.read_bytes())
        components = value["components"]
        if value["schema"] != 1 or not isinstance(components, dict):
            return None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return Fingerprint(components={str(k): str(v) for k, v in components.items()})


def differences(old: Fingerprint, new: Fingerprint) -> tuple[Difference, ...]:
    """Return what makes a rebuild necessary, in the order of the components."""
    names = dict.fromkeys((*new.components, *old.components))
    pairs = ((name, old.components.get(name, ""), new.components.get(name, "")) for name in names)
    return tuple(Difference(component=n, was=was, now=now) for n, was, now in pairs if was != now)


def nearest(new: Fingerprint, known: Iterable[Fingerprint]) -> Fingerprint | None:
    """Return the known one that differs in the fewest components."""
    return min(known, key=lambda old: len(differences(old, new)), default=None)
