"""One build from start to end: look, compare with the cache, compile, import, keep."""

import shutil
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from dgpin import cache
from dgpin.build import assemble, compiling, fingerprint, flags, imported, store
from dgpin.build import recipe as recipes
from dgpin.build import source as sources
from dgpin.build import toolchain as toolchains
from dgpin.build.compiling import Event, Outcome
from dgpin.build.fingerprint import Difference, Fingerprint
from dgpin.build.imported import Imported
from dgpin.build.log import Digest
from dgpin.build.recipe import Recipe
from dgpin.build.source import Source
from dgpin.build.store import Entry, StoreError
from dgpin.build.table import Preflight
from dgpin.build.toolchain import Toolchain
from dgpin.errors import UnavailableError
from dgpin.verdict import Verdict


class ChangedSourceError(UnavailableError):
    """A source that is another one after the compile than before it."""

    hint = "Run the same command again, and let the source be meanwhile."

    def __init__(self, root: Path) -> None:
        super().__init__(f"{root} changed while it was compiled; nothing was kept")


class MachineError(UnavailableError):
    """The compile failed for a reason that is the machine's, not the source's."""

    hint = "Make room, or compile fewer targets at a time with --jobs."

    def __init__(self, what: str, log: Path) -> None:
        cure = "Set CCACHE_DISABLE=1, or let ccache write where it keeps things."
        hint = cure if what.startswith("ccache") else None
        super().__init__(f"the compile failed: {what}, see {log}", hint=hint)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What is to be built with what."""

    source: Source
    recipe: Recipe
    toolchain: Toolchain
    fingerprint: Fingerprint

    @property
    def keeps(self) -> bool:
        """Whether the product fits this torch; otherwise only the compile is tried."""
        return flags.fits(self.toolchain)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a job came to.

    `entry` is the build, None where nothing was kept. `preflight` is None when the cache had the
    build, as nothing else was looked for then.
    """

    job: Job
    verdict: Verdict
    message: str
    entry: Entry | None = None
    cached: bool = False
    preflight: Preflight | None = None
    outcomes: tuple[Outcome, ...] = ()
    imports: tuple[Imported, ...] = ()
    seconds: float = 0.0
    log: Path | None = None

    @property
    def errors(self) -> tuple[tuple[str, Digest], ...]:
        """The first error of each target that failed."""
        return tuple((each.target.name, each.digest) for each in self.outcomes if each.digest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """Who is told how a job goes on."""

    waiting: Callable[[], None] = lambda: None
    event: Callable[[Event], None] = lambda _event: None


def read_recipe(root: Path) -> Recipe:
    """Return the recipe of a source.

    Raises:
        NoSourceError: the directory holds none.
        RecipeError: its setup.py does not tell how it is built.
    """
    try:
        text = (root / "setup.py").read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise sources.NoSourceError(root, "it has no setup.py") from error
    recipe = recipes.parse(text, has=lambda path: (root / path).exists())
    absent = [path for path in recipe.sources if not (root / path).is_file()]
    if absent:
        raise sources.NoSourceError(root, f"its setup.py compiles {absent[0]}, which is not there")
    return recipe


def prepare(
    source: Source,
    recipe: Recipe,
    pythons: Iterable[str],
    *,
    cuda_home: Path | None = None,
    allowed: Iterable[str] = (),
) -> Job:
    """Return the job, with everything known that its fingerprint is made of.

    Raises:
        SubmoduleError: a submodule is not at the recorded commit and not allowed by name.
        UsageError: an interpreter that is not there.
        UnavailableError: an interpreter, a torch or a compiler that does not answer.
    """
    sources.refuse_moved(source, allowed)
    toolchain = toolchains.collect(tuple(pythons), modules=recipe.modules, cuda_home=cuda_home)
    limited = fingerprint.limited_api(recipe)
    made_of = fingerprint.of(recipe, source, toolchain, limited=limited)
    return Job(source=source, recipe=recipe, toolchain=toolchain, fingerprint=made_of)


def check(job: Job) -> Preflight:
    """Look for everything that the job needs."""
    from dgpin.build import preflight  # noqa: PLC0415 - its tables; a cached build needs none

    return preflight.inspect(job.recipe, job.source.root, job.toolchain)


def needed(job: Job, known: Fingerprint | None) -> tuple[Difference, ...] | None:
    """Return None when the cache has the build, else what changed since the nearest known one.

    `known` is the fingerprint to compare with; without one, the nearest in the cache is taken.
    """
    if known is None and store.find(job.fingerprint.key) is not None:
        return None
    if known is None:
        known = fingerprint.nearest(
            job.fingerprint, (entry.fingerprint for entry in store.entries())
        )
    if known is None:
        return ()
    return fingerprint.differences(known, job.fingerprint) or None


def run(job: Job, *, jobs: int | None = None, watch: Watch | None = None) -> Result:
    """Return the build of the job, from the cache or made now.

    Raises:
        UnavailableError: the cache cannot be written, the compiler hangs or the machine gave up.
    """
    watch = watch or Watch()
    if (entry := store.find(job.fingerprint.key)) is not None:
        return _cached(job, entry)
    checked = check(job)
    if checked.missing:
        count = len(checked.missing)
        return Result(
            job=job,
            verdict=Verdict.UNKNOWN,
            message=f"{count} thing{'s' if count > 1 else ''} missing",
            preflight=checked,
        )
    began = time.monotonic()
    with store.locked(job.fingerprint.key, waiting=watch.waiting) as draft:
        if (entry := store.find(job.fingerprint.key)) is not None:
            return _cached(job, entry)
        try:
            return _make(job, checked, draft, jobs=jobs, watch=watch, began=began)
        except OSError as error:
            named = (error.filename, error.filename2)
            if any(str(each).startswith(f"{job.source.root}/") for each in named):
                raise sources.UnreadableSourceError(error) from error
            raise StoreError(draft.parent, error) from error


def _cached(job: Job, entry: Entry) -> Result:
    return Result(
        job=job,
        verdict=Verdict.PASS,
        message="same inputs as before, nothing was compiled",
        entry=entry,
        cached=True,
        imports=tuple(_remembered(entry, each.short) for each in job.toolchain.interpreters),
        log=entry.root / "build.log",
    )


def _remembered(entry: Entry, python: str) -> Imported:
    """Return what the entry proves: no build that failed to import was ever kept."""
    works = python in entry.imported
    return Imported(python=python, tried=works, works=works)


def _make(
    job: Job, checked: Preflight, draft: Path, *, jobs: int | None, watch: Watch, began: float
) -> Result:
    work = draft / "work"
    work.mkdir()
    root, units = job.source.root, len(job.toolchain.interpreters)
    if fingerprint.limited_api(job.recipe):
        # setup.py writes where it runs; the source is the user's.
        units = len(job.recipe.sources)
        root = compiling.copy_source(root, sources.files(root, ["."]), work / "source")
    count = compiling.jobs_for(
        units,
        asked=jobs,
        memory=compiling.memory_available(),
        cpus=compiling.cpus(),
    )
    targets = compiling.plan(job.recipe, root, checked, work, jobs=count)
    log = cache.root() / "logs" / f"build-{job.fingerprint.key}.log"
    outcomes = compiling.run(targets, jobs=count, work=work, log=log, emit=watch.event)
    result = Result(
        job=job,
        verdict=Verdict.FAIL,
        message="",
        preflight=checked,
        outcomes=outcomes,
        log=log,
        seconds=round(time.monotonic() - began, 1),
    )
    failed = [each for each in outcomes if each.code]
    for each in failed:
        if each.digest is not None and each.digest.machine:
            raise MachineError(each.digest.machine, log)
    if failed:
        return replace(result, message=f"{failed[0].target.name} does not compile")
    if sources.digest(job.source.root, job.recipe) != job.source.digest:
        raise ChangedSourceError(job.source.root)
    if not job.keeps:
        message = "it compiles; not kept, as it would not fit this torch"
        return replace(result, verdict=Verdict.PASS, message=message)
    return _finish(job, checked, draft, result)


def _finish(job: Job, checked: Preflight, draft: Path, result: Result) -> Result:
    """Put the package together, import it, and make an entry of it."""
    products = [each.target.product for each in result.outcomes]
    package = assemble.assemble(job.source.root, job.recipe, draft, extensions=products)
    imports = _import(job, package, checked)
    broken = [each for each in imports if each.tried and not each.works]
    if broken:
        why = f"Python {broken[0].python} cannot import it: {broken[0].error}"
        return replace(result, message=why, imports=imports)
    shutil.rmtree(draft / "work")
    if result.log is not None:
        shutil.copyfile(result.log, draft / "build.log")
    works = tuple(each.python for each in imports if each.works)
    entry = store.publish(draft, job.fingerprint, imported=works)
    return replace(result, verdict=Verdict.PASS, message="built", entry=entry, imports=imports)


def _import(job: Job, package: Path, checked: Preflight) -> tuple[Imported, ...]:
    toolkit = checked.toolchain.toolkit
    env = dict(job.toolchain.env)
    if toolkit is not None:  # 2.5 and 2.6 assert that there is a CUDA home when imported
        env["CUDA_HOME"] = str(toolkit.home)
    others = [each for each, _ in job.toolchain.others]
    return tuple(
        imported.attempt(package, each, env=env, own_torch=each not in others)
        for each in job.toolchain.interpreters
    )
