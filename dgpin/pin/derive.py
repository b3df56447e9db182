"""The facts of a source, derived from its files: no build, no compiler, nothing of it is run."""

import re
from collections.abc import Iterable, Sequence

from dgpin import lines
from dgpin.pin import native, setup_reader
from dgpin.pin.facts import Fact, Facts, Value
from dgpin.pin.package import GENERATED, PACKAGE, Package
from dgpin.pin.setup_reader import Setup, Word
from dgpin.source.tree import Tree
from dgpin.verdict import Place

_ENTRY_POINTS = frozenset({"setup.py", "pyproject.toml", "CMakeLists.txt", "Makefile"})
_KERNEL = re.compile(r"deep_gemm/include/deep_gemm/impls/(sm(\d+|xx)_\w+)\.cuh")
_MODULE = re.compile(rf"{PACKAGE}/(\w+)\.py")
_SUBPACKAGE = re.compile(rf"{PACKAGE}/(\w+)/__init__\.py")
_VERSION = re.compile(r"__version__\s*=\s*(['\"])([^'\"]+)\1")
_HEADER_SUFFIXES = frozenset({"cuh", "hh", "hxx", "inl", "ipp", "tpp"})  # besides h and hpp
_FROM_SETUP = (
    "binding", "cuda_min", "cxx_std", "gcc_min", "headers", "includes", "libraries",
    "packages.apk", "packages.deb", "packages.rpm", "submodules",
)  # fmt: skip


def derive(tree: Tree, *, commit: str) -> Facts:
    """Derive every fact that the files of a source tell.

    A fact that they do not tell is absent, and `Facts.unknown` says why where the reason is a
    missing submodule, a condition that is not evaluated, or a file that cannot be read. Of a fact
    whose items were each read from one place, `origin` holds the places in the items' order.

    Raises:
        UnknownHeaderError: a needed header that is in no table.
    """
    return _Derivation(tree).run(commit)


class _Derivation:
    """The facts found so far, and what they are read from."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.paths = sorted(tree.paths())
        self.facts: dict[str, Fact] = {}
        self.unknown: dict[str, str] = {}
        self.missing: tuple[str, ...] = ()

    def run(self, commit: str) -> Facts:
        recorded = _recorded(self.tree)
        self.kernels()
        self.python()
        setup = self.setup()
        if setup is not None:
            self.recipe(setup)
            recorded = recorded or _copied(setup)
            needed = self.submodules(setup, recorded)
            self.missing = tuple(path for path in needed if not self.has_files(path))
        self.layout(recorded)
        if setup is not None and any(word.text in self.paths for word in setup.sources):
            self.compiled(native.read(self.tree, setup, missing=self.missing))
        return Facts(commit=commit, facts=self.facts, unknown=self.unknown, missing=self.missing)

    def add(self, name: str, value: Value, origin: Iterable[Place] = ()) -> None:
        self.facts[name] = Fact(name=name, value=value, origin=tuple(origin))

    def add_items(self, name: str, items: dict[str, Place]) -> None:
        """Keep a list fact; an empty one is a fact as well."""
        self.add(name, tuple(items), items.values())

    def add_words(self, name: str, words: Sequence[Word], *, path: str) -> None:
        self.add_items(name, {word.text: Place(path, word.line) for word in words})

    def has_files(self, directory: str) -> bool:
        return any(path.startswith(f"{directory}/") for path in self.paths)

    def layout(self, recorded: Iterable[str]) -> None:
        outside = (".git/", *(f"{path}/" for path in recorded))
        own = [path for path in self.paths if not path.startswith(outside)]
        self.add("files", tuple(own))
        top = [path for path in own if "/" not in path]
        entries = [path for path in top if path in _ENTRY_POINTS or path.endswith(".sh")]
        self.add_items("entry_points", {path: Place(path) for path in entries})

    def kernels(self) -> None:
        """Add the kernel families, and the architectures that have any of their own."""
        kernels = [match for path in self.paths if (match := _KERNEL.fullmatch(path))]
        if not kernels:
            return
        self.add_items("families", {match[1]: Place(match[0]) for match in kernels})
        first: dict[int, Place] = {}
        for match in kernels:
            if match[2] != "xx":
                first.setdefault(int(match[2]), Place(match[0]))
        self.add_items("arches", {f"sm_{number}": first[number] for number in sorted(first)})

    def python(self) -> None:
        initial = f"{PACKAGE}/__init__.py"
        if initial not in self.paths:
            return
        text = self.tree.read(initial).decode(errors="replace")
        for number, line in enumerate(lines.split(text), 1):
            if match := _VERSION.match(line):
                self.add("version", match[2], [Place(initial, number)])
        modules = self.python_files(_MODULE)
        subpackages = self.python_files(_SUBPACKAGE)
        self.add_items("modules", modules)
        self.add_items("subpackages", subpackages)
        package = Package(self.tree)
        for path, error in package.broken.items():
            self.unknown["exports"] = f"{path}:{error.lineno or 0} is no Python: {error.msg}"
        if (star := package.unread_star()) is not None:
            self.unknown["exports"] = f"what the star at {star} brings cannot be told"
        self.add_items("exports", package.exports())
        every = modules | subpackages
        idle = sorted(every.keys() - package.reached())
        self.add_items("unimported", {name: every[name] for name in idle})

    def python_files(self, pattern: re.Pattern[str]) -> dict[str, Place]:
        found = (match for path in self.paths if (match := pattern.fullmatch(path)))
        return {match[1]: Place(match[0]) for match in found if match[1] not in GENERATED}

    def setup(self) -> Setup | None:
        if "setup.py" not in self.paths:
            return None
        try:
            return setup_reader.read(self.tree.read("setup.py").decode(errors="replace"))
        except SyntaxError as error:
            why = f"setup.py:{error.lineno or 0} is no Python: {error.msg}"
            self.unknown |= dict.fromkeys(_FROM_SETUP, why)
            return None

    def recipe(self, setup: Setup) -> None:
        """Add what setup.py says; a source from before there was an extension says little."""
        self.add_words("environment", setup.environment, path=setup.path)
        if "sources" in setup.doubts:
            line = setup.doubts["sources"][0]
            why = f"only running setup.py tells which sources it compiles ({line})"
            self.unknown |= dict.fromkeys(_FROM_SETUP, why)
        if not setup.sources:
            return
        self.add_words("sources", setup.sources, path=setup.path)
        self.add_words("includes", setup.includes, path=setup.path)
        self.add_words("libraries", setup.libraries, path=setup.path)
        if setup.name is not None:
            self.add("extension", setup.name.text, [Place(setup.path, setup.name.line)])
        if setup.limited_api is not None:
            self.add("abi", "abi3", [setup.limited_api])
        for name in ("includes", "libraries"):
            if name in setup.doubts:
                where = ", ".join(map(str, setup.doubts[name]))
                self.unknown.setdefault(name, f"only running setup.py tells what is at {where}")
        self.headers(setup)

    def headers(self, setup: Setup) -> None:
        """Add the globs under which a host watches headers, directory by directory."""
        directories = {"csrc": Place(setup.path, setup.sources[0].line)}
        for word in setup.includes:
            nested = any(word.text.startswith(f"{each}/") for each in directories)
            if not nested and not native.is_foreign(word.text):
                directories[word.text] = Place(setup.path, word.line)
        globs: dict[str, Place] = {}
        for directory, place in directories.items():
            inside = [path for path in self.paths if path.startswith(f"{directory}/")]
            others = {path.rpartition(".")[2] for path in inside} & _HEADER_SUFFIXES
            for suffix in ("h", "hpp", *sorted(others)):
                globs[f"{directory}/*.{suffix}"] = place
        self.add_items("headers", globs)

    def submodules(self, setup: Setup, recorded: dict[str, Place]) -> tuple[str, ...]:
        """Add the needed submodules and the commit of each recorded one; return the needed."""
        used = [*setup.includes, *setup.third_party]
        needed = {
            path: place
            for path, place in recorded.items()
            if any(word.text == path or word.text.startswith(f"{path}/") for word in used)
        }
        self.add_items("submodules", needed)
        for path, commit in sorted(self.tree.gitlinks().items()):
            name = path.rpartition("/")[2]
            self.add(f"{name}.commit", commit, [recorded.get(path, Place(path))])
        return tuple(needed)

    def compiled(self, code: native.Native) -> None:
        for name, floor in (
            ("gcc_min", native.gcc_floor(code)),
            ("cuda_min", native.cuda_floor(code)),
            ("cxx_std", native.cxx_standard(code)),
        ):
            if floor is not None:
                self.add(name, floor.version, floor.places)
        if "cxx_std" not in self.facts and "flags" in code.setup.doubts:
            where = code.setup.doubts["flags"][0]
            self.unknown["cxx_std"] = f"only running setup.py tells the flags at {where}"
        for family in ("rpm", "deb", "apk"):
            self.add_items(f"packages.{family}", native.packages(code, family))
        kinds = native.bindings(code)
        if len(kinds) == 1:
            [(kind, place)] = kinds.items()
            self.add("binding", kind, [place])
        elif kinds:
            both = " and ".join(f"{kind} at {place}" for kind, place in sorted(kinds.items()))
            self.unknown["binding"] = f"the sources make two: {both}"
        for doubt in native.doubts(code):
            self.unknown.setdefault(doubt.fact, doubt.reason)


def _copied(setup: Setup) -> dict[str, Place]:
    """Return what was a submodule in a source that records none, as in an sdist.

    It is what setup.py uses of third-party/.
    """
    used = sorted((*setup.includes, *setup.third_party), key=lambda word: word.text)
    return {
        "/".join(word.text.split("/")[:2]): Place(setup.path, word.line)
        for word in used
        if word.text.startswith("third-party/")
    }


def _recorded(tree: Tree) -> dict[str, Place]:
    """Return the submodules that a source records, in the order of its .gitmodules."""
    listed: dict[str, Place] = {}
    if ".gitmodules" in tree.paths():
        text = tree.read(".gitmodules").decode(errors="replace")
        for number, line in enumerate(lines.split(text), 1):
            key, is_pair, value = line.partition("=")
            if is_pair and key.strip() == "path":
                bare = value.strip().removeprefix('"').removesuffix('"')
                listed[bare] = Place(".gitmodules", number)
    links = tree.gitlinks()
    if not links:
        return listed
    # The links are what git records; .gitmodules only says where each comes from.
    return {path: listed[path] for path in listed if path in links} | {
        path: Place(path) for path in sorted(links) if path not in listed
    }
