"""`dgpin build`."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from dgpin.build import job, obtain, source
from dgpin.build.fingerprint import Difference
from dgpin.build.job import Job, Result, Watch
from dgpin.build.obtain import Obtained
from dgpin.build.recipe import Recipe
from dgpin.cli import progress, refs
from dgpin.cli.exit import DONE, FINDINGS, INCOMPLETE
from dgpin.cli.host import HostOption, open_host
from dgpin.cli.output import JsonOption, OutputOption, parse, write
from dgpin.errors import UsageError
from dgpin.pin import worktree
from dgpin.pin.host import Fit
from dgpin.render import build as shown
from dgpin.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """What is to be done with the jobs."""

    preflight: bool
    needed: bool
    parallel: int | None
    out: Path | None
    wheel: bool


def build(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="REF|DIR|pypi:NAME==VERSION",
            help="A commit, branch or tag, a directory as it is, or an sdist. "
            "Default: the host's pin.",
            show_default=False,
            autocompletion=refs.complete,
        ),
    ] = None,
    host: HostOption = None,
    repo: Annotated[
        str | None,
        typer.Option("--repo", metavar="URL", help="Where REF is. Default: where the pin is."),
    ] = None,
    *,
    python: Annotated[
        list[str] | None,
        typer.Option("--python", metavar="PATH", help="Build for this Python. Can be repeated."),
    ] = None,
    preflight: Annotated[
        bool, typer.Option("--preflight", help="Only say what is there and what is missing.")
    ] = False,
    needed: Annotated[
        bool, typer.Option("--needed", help="Only say whether a build is needed: 0 no, 1 yes.")
    ] = False,
    cuda_home: Annotated[
        list[Path] | None,
        typer.Option("--cuda-home", metavar="DIR", help="Compile with this toolkit. Repeatable."),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", metavar="N", min=1, help="Compile at most N targets at a time."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Copy the build there.")
    ] = None,
    as_wheel: Annotated[
        bool, typer.Option("--wheel", help="Write a wheel, into --out or here.")
    ] = False,
    allow_submodule: Annotated[
        list[str] | None,
        typer.Option("--allow-submodule", metavar="NAME", help="Build this submodule as it is."),
    ] = None,
    output: OutputOption = None,
    json: JsonOption = False,
) -> int:
    """Compile `_C` for one or several Pythons, after saying everything that is missing.

    Exit 1: it does not compile, or cannot be imported. Exit 3: something is missing here.
    """
    if preflight and needed:
        raise UsageError(
            "--preflight and --needed exclude each other", hint="Ask for one, then for the other."
        )
    forms = parse(output, json=json, known=shown.FORMS)
    if out is not None:
        from dgpin.build import output as copies  # noqa: PLC0415 - start-up: only where asked for

        copies.refuse_inside(out)
    obtained, fit = _obtain(what, host, repo)
    recipe = job.read_recipe(obtained.root)
    tree = _source(obtained, recipe)
    # Compilers run in directories of their own.
    homes: list[Path | None] = [home.absolute() for home in cuda_home or ()] or [None]
    prepared = tuple(
        job.prepare(tree, recipe, python or (), cuda_home=home, allowed=allow_submodule or ())
        for home in homes
    )
    wanted = _Wanted(preflight=preflight, needed=needed, parallel=jobs, out=out, wheel=as_wheel)
    answer = _answer(prepared, wanted, _notes(fit))
    write(shown.renderers(answer), forms)
    return _code(answer)


def _source(obtained: Obtained, recipe: Recipe) -> source.Source:
    if obtained.commit is None or obtained.submodules is None:
        return source.read(obtained.root, recipe, label=obtained.label)
    return source.of_commit(
        obtained.root,
        recipe,
        label=obtained.label,
        commit=obtained.commit,
        submodules=obtained.submodules,
    )


def _obtain(what: str | None, host: Path | None, repo: str | None) -> tuple[Obtained, Fit | None]:
    if what is not None and what.startswith("pypi:"):
        with progress.task(f"fetching {what}"):
            return obtain.sdist(what.removeprefix("pypi:")), None
    if what is not None and os.path.isdir(what):  # noqa: PTH112 - Path's raises for a long name
        return obtain.Obtained(root=Path(what).resolve(), label=what), None
    if what is not None and what.startswith(("/", "./", "../", "~")):  # no ref begins so
        raise UsageError(
            f"{what}: there is no such directory",
            hint="Name a directory that holds a DeepGEMM source, or a ref.",
        )
    if what is not None and re.fullmatch(r"[0-9a-f]{40}", what):
        known = obtain.exported(what)
        if known is not None:
            return known, None
    return _from_mirror(what, host, repo)


def _from_mirror(
    ref: str | None, host: Path | None, repo: str | None
) -> tuple[Obtained, Fit | None]:
    from dgpin.pin.pinned import read_pinned  # noqa: PLC0415 - start-up: most builds name a tree
    from dgpin.pin.sources import Mirrors  # noqa: PLC0415 - as above

    fit: Fit | None = None
    if repo is None or ref is None or host is not None:
        found, fit = open_host(host, lenient=True)
        link = worktree.gitlink(found.root, fit.config.gitlink) if fit.config.gitlink else None
        pinned = read_pinned(fit.reading, gitlink=link)
        repo = repo or pinned.repo
        ref = ref or pinned.ref
    if repo is None or ref is None:
        raise UsageError(
            "the host's sites state no repository and commit to build",
            hint="Name them: dgpin build REF --repo URL.",
        )
    sources = Mirrors(fetch=True, allow_unreachable=True)
    with progress.task(f"reading {repo}"):
        resolved = sources.resolve(ref, repo=repo, follow=None, old=None)
        tree = sources.mirror(repo).tree(resolved.commit)
        return obtain.export(tree, resolved.commit, label=ref), fit


def _notes(fit: Fit | None) -> tuple[str, ...]:
    from dgpin.build import arches  # noqa: PLC0415 - start-up: few set the variable

    asked = os.environ.get("TORCH_CUDA_ARCH_LIST", "")
    listed = [site.hole.value for site in fit.reading.sites("arches")] if fit else []
    note = arches.note(asked, listed)
    return (note,) if note else ()


def _answer(jobs: tuple[Job, ...], wanted: _Wanted, notes: tuple[str, ...]) -> shown.Answer:
    if wanted.needed:
        each = [_needed(one, wanted.out) for one in jobs]
        # What was only tried is never kept, and so is always to be made; a change says more.
        changed = next(filter(None, each), () if () in each else None)
        return shown.Answer(jobs=jobs, needed=changed, asked_needed=True, notes=notes)
    if wanted.preflight:
        checked = tuple(job.check(each) for each in jobs)
        return shown.Answer(jobs=jobs, preflights=checked, notes=notes)
    results = tuple(_run(each, wanted.parallel) for each in jobs)
    missing = tuple(each.preflight for each in results if each.preflight and each.preflight.missing)
    copied, wheels = _deliver(results, wanted)
    return shown.Answer(
        jobs=jobs,
        preflights=missing,
        results=tuple(each for each in results if each.verdict is not Verdict.UNKNOWN),
        copied=copied,
        wheels=wheels,
        notes=notes,
    )


def _needed(one: Job, out: Path | None) -> tuple[Difference, ...] | None:
    """Return what changed since the build in the cache, or since the copy in `out`."""
    if out is None:
        return job.needed(one, None)
    from dgpin.build import output  # noqa: PLC0415 - start-up: only where asked for

    copied = output.there(out)
    return job.needed(one, copied) if copied is not None else ()


def _run(each: Job, parallel: int | None) -> Result:
    def waiting() -> None:
        typer.echo("another dgpin makes the same build; waiting for it", err=True)

    from dgpin.render import compiling  # noqa: PLC0415 - start-up: not when nothing compiles

    with compiling.progress() as tell:
        return job.run(each, jobs=parallel, watch=Watch(waiting=waiting, event=tell))


def _deliver(results: tuple[Result, ...], wanted: _Wanted) -> tuple[Path | None, tuple[Path, ...]]:
    kept = [each for each in results if each.entry is not None]
    if not kept or kept[-1].entry is None:
        return None, ()
    from dgpin.build import output, wheel  # noqa: PLC0415 - start-up: only where asked for

    entry = kept[-1].entry
    if wanted.wheel:
        platform = kept[-1].job.toolchain.host.platform
        return None, wheel.write(entry, wanted.out or Path.cwd(), platform=platform)
    return (output.copy(entry, wanted.out) if wanted.out else None), ()


def _code(answer: shown.Answer) -> int:
    if answer.asked_needed:
        return DONE if answer.needed is None else FINDINGS
    if any(each.verdict.is_finding for each in answer.results):
        return FINDINGS
    return INCOMPLETE if any(each.missing for each in answer.preflights) else DONE
