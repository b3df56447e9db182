"""Git refs as A or B: the build in the cache, one made now, or the source's text."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dgpin.api.builds import Build
from dgpin.api.failures import fits
from dgpin.api.locate import Named, Source
from dgpin.build.interpreter import Interpreter
from dgpin.errors import DgpinError, UnavailableError, UsageError

if TYPE_CHECKING:
    from dgpin.source.git import Mirror
    from dgpin.source.resolve import Resolved

# Where DeepGEMM is developed, for whoever names no repository.
REPOSITORIES = (
    "https://github.com/deepseek-ai/DeepGEMM",
    "https://github.com/vllm-project/DeepGEMM",
)


class NowhereError(UsageError):
    """A word that is neither a build nor a ref of any repository."""

    hint = (
        "Name a directory that holds deep_gemm/, a wheel, `installed`, pypi:NAME==VERSION, "
        "or a ref; --repo says where refs are looked up."
    )

    def __init__(self, spec: str, tried: Sequence[tuple[str, str]]) -> None:
        places = "; ".join(f"{repo}: {why}" for repo, why in tried)
        super().__init__(f"{spec} is no build that can be found here, and no ref: {places}")


class CompileError(UnavailableError):
    """A commit that could not be built with --compile."""

    def __init__(self, commit: str, why: str = "", *, options: str = "") -> None:
        super().__init__(
            f"{commit[:12]} could not be built here{why and f': {why}'}",
            hint=f"`dgpin build {commit}{options}` says what is missing or wrong.",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """How refs are looked up: in which repositories, and whether a build may be made."""

    repositories: tuple[str, ...] = REPOSITORIES
    text_only: bool = False  # a build in the cache is not asked for
    compile: bool = False
    # Both sides of a comparison are mostly of one repository: it is opened, and fetched, once.
    opened: "dict[tuple[str, bool], Mirror]" = field(default_factory=dict, repr=False)

    def find(self, spec: str, python: Interpreter) -> Named:
        """Return what a ref stands for.

        Raises:
            NowhereError: no repository has it.
            CompileError: it was to be built, and that failed.
        """
        mirror, resolved = self.resolve(spec)
        commit = resolved.commit
        short = commit[:12]
        label = f"{spec} ({short})" if not commit.startswith(spec) else short
        if not self.text_only:
            known = built(commit, python)
            if known is not None:
                label = f"{label}, from the build cache"
                return Build(label=label, root=known, source=mirror.tree(commit))
            if self.compile:
                made = compiled(mirror, commit, python)
                return Build(label=f"{label}, built now", root=made, source=mirror.tree(commit))
        return _text(mirror, commit, label=label)

    def resolve(self, spec: str) -> "tuple[Mirror, Resolved]":
        """Return the commit that a ref means, and the mirror that has it.

        Raises:
            NowhereError: no repository has it.
        """
        tried: list[tuple[str, str]] = []
        unread: tuple[Mirror, Resolved] | None = None
        # What is mirrored already is asked first: a SHA never changes its meaning.
        for fetch in (False, True):
            if not fetch and not _is_sha(spec):
                continue
            for repo in self.repositories:
                found = resolve_in(repo, spec, fetch=fetch, opened=self.opened)
                if isinstance(found, str):
                    tried += [(repo, found)] if fetch else []
                elif fetch or _has_contents(*found):
                    return found
                else:
                    unread = unread or found  # to be fetched; without network a build may do
        if unread is not None:
            return unread
        raise NowhereError(spec, tried)


def resolve_in(
    repo: str, spec: str, *, fetch: bool, opened: "dict[tuple[str, bool], Mirror]"
) -> "tuple[Mirror, Resolved] | str":
    """Return the mirror and the commit, or why this repository does not have it.

    A mirror that is among those `opened` is not opened again.
    """
    from dgpin.source.git import open_mirror  # noqa: PLC0415 - brings GitPython
    from dgpin.source.resolve import resolve  # noqa: PLC0415

    try:
        if (repo, fetch) not in opened:
            opened[repo, fetch] = open_mirror(repo, fetch=fetch)
        mirror = opened[repo, fetch]
        found = resolve(
            spec, mirror=mirror, follow=None, old=None, elsewhere=_nowhere, allow_unreachable=True
        )
    except DgpinError as error:
        return error.message
    return mirror, found


def _has_contents(mirror: "Mirror", resolved: "Resolved") -> bool:
    """Whether the commit's own files are in the mirror, and not only their names."""
    listed = mirror.listing(resolved.commit).values()
    files = [e.sha for e in listed if e.is_file and e.path.endswith((".py", ".hpp", ".cpp"))]
    return not mirror.missing(files)


def _text(mirror: "Mirror", commit: str, *, label: str) -> Source:
    from dgpin.source.transfer import FetchError  # noqa: PLC0415 - as in resolve_in

    try:
        return Source(label=label, tree=mirror.tree(commit), commit=commit)
    except FetchError:
        # A submodule registers little; what it does register is left out, and that is said.
        tree = mirror.tree(commit, submodules=False)
        note = "a submodule could not be fetched: what it registers is not in here"
        return Source(label=label, tree=tree, commit=commit, note=note)


def _is_sha(spec: str) -> bool:
    return len(spec) >= 4 and all(c in "0123456789abcdef" for c in spec)  # noqa: PLR2004


def _nowhere(commit: str) -> None:
    """Answer for other repositories: each of them is asked in its turn."""
    del commit


def built(commit: str, python: Interpreter) -> Path | None:
    """Return the root of a cached build of a commit that an interpreter can load."""
    from dgpin.build import store  # noqa: PLC0415 - start-up: only refs are looked up in it

    for entry in store.builds_of(commit):
        build = Build(label=commit, root=entry.root)
        names = build.extensions()
        if any(fits(name, python.ext_suffix) for name in names):
            return entry.root
    return None


def compiled(mirror: "Mirror", commit: str, python: Interpreter) -> Path:
    """Return the root of a build of a commit, made now unless the cache has the same.

    Raises:
        DgpinError: its files or its build cannot be had.
    """
    from dgpin.build import job, obtain, source  # noqa: PLC0415 - only --compile pays for it

    got = obtain.export(mirror.tree(commit), commit, label=commit[:12])
    recipe = job.read_recipe(got.root)
    tree = source.of_commit(
        got.root, recipe, label=got.label, commit=commit, submodules=got.submodules or ()
    )
    made = job.run(job.prepare(tree, recipe, (str(python.path),)))
    if made.entry is None:
        options = f" --repo {mirror.address.shown} --python {python.path}"
        raise CompileError(commit, made.message, options=options)
    return made.entry.root
