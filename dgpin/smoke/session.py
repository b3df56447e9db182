"""One `dgpin smoke`, from what was asked for to its report."""

import contextlib
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dgpin.api import locate, references
from dgpin.api.builds import Build
from dgpin.api.references import REPOSITORIES, Lookup
from dgpin.build import interpreter
from dgpin.build.interpreter import Interpreter
from dgpin.errors import UnavailableError, UsageError
from dgpin.smoke import (
    catalogue,
    compare,
    device,
    environment,
    level0,
    runner,
    sanitize,
    target,
    wheel,
)
from dgpin.smoke.case import CORE, SANITIZE, Check
from dgpin.smoke.environment import Toolkit
from dgpin.smoke.report import ARCHITECTURES, Report
from dgpin.smoke.results import Ran, Trouble
from dgpin.smoke.runner import Following, Plan
from dgpin.smoke.target import Target
from dgpin.smoke.wanted import VLLM, Needs
from dgpin.verdict import Row, Verdict

_DEFAULT_ARCH = "sm_90"  # whose headers level 0 judges where no GPU says otherwise
_MOST_SHARDS = 6  # more only compile the same kernels twice
# What keeps a run from starting, as against what is wrong with the build.
_NO_PLACE = frozenset({"device", "architecture"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What was asked for; see the options of `dgpin smoke`.

    `directory` holds the checks' files where they are not dgpin's own. `host` is the project whose
    names and keywords the build must have; `repositories` tells those in which refs are looked up.
    """

    build: str
    env: Mapping[str, str]
    against: str | None = None
    python: str | None = None
    level: int = 1
    arch: str | None = None
    expected: frozenset[str] = frozenset()
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    shards: int | None = None
    directory: Path | None = None
    host: Path | None = None
    repositories: Callable[[], Sequence[str]] = lambda: REPOSITORIES


class NotBuiltError(UnavailableError):
    """A commit of which there is no build."""

    def __init__(self, ref: str, commit: str, repository: str, python: Interpreter) -> None:
        short = commit[:12]
        named = ref if commit.startswith(ref) else f"{ref} ({short})"
        super().__init__(
            f"{named}: there is no build of it for Python {python.short}",
            hint=f"`dgpin build {ref} --repo {repository} --python {python.path}` makes one.",
        )


def run(request: Request, known: Sequence[Check], following: Following) -> Report:
    """Read the build, run the checks, and return what was found.

    Raises:
        UsageError: the request names something that is not there.
        UnavailableError: the build or the interpreter cannot be had.
    """
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    python = interpreter.read(request.python or interpreter.default(request.env))
    kit = environment.toolkit(request.env)
    new = _target(request.build, python, kit, request)
    gpu = device.first(request.env) if request.level else None
    arch = request.arch or (gpu.arch if gpu else _DEFAULT_ARCH)
    # The whole list, so that a misspelt name is told before anything takes long.
    checks = catalogue.select(
        known, level=request.level, arch=arch, only=request.only, skip=request.skip
    )
    needs = _needs(request.host)
    facts = level0.rows(
        new,
        arch=arch,
        jit_cache=environment.jit_cache(new.headers, kit),
        expected=request.expected,
        needs=needs,
    )
    report = Report(
        target=new,
        arch=arch,
        level=request.level,
        facts=facts,
        when=when,
        device=gpu,
        core=frozenset(c.id for c in known if c.level == CORE and arch in c.arches),
    )
    if request.level == 0:
        return report
    if gpu is not None and arch not in ARCHITECTURES:
        return replace(report, blocked=f"there are no checks for {gpu.name} ({arch})")
    if not checks:
        raise UsageError(
            f"no check is left to run on {arch}", hint="`dgpin smoke --list` says which run where."
        )
    if gpu is not None and gpu.arch != arch:
        return replace(report, blocked=f"the GPU is {gpu.name} ({gpu.arch}), not {arch}")
    targets = [new]
    if request.against is not None:
        targets.append(_target(request.against, python, kit, request))
    plans = tuple(_plan(each, checks, request, arch, needs) for each in targets)
    following.begin(plans)
    done = _finish(report, runner.run(plans, following.watch))
    if request.level < SANITIZE or done.ran is None or done.ran.trouble is not None:
        return done
    return replace(done, ran=sanitize.extend(done.ran, plans[0], kit, following))


def _needs(host: Path | None) -> Needs:
    if host is None:
        return VLLM
    from dgpin.smoke import host_needs  # noqa: PLC0415 - most runs are given no host

    return host_needs.of(host)


def _finish(report: Report, ran: Sequence[Ran]) -> Report:
    for each in ran:
        if each.trouble is not None and _is_elsewhere(each.trouble):
            return replace(report, blocked=_spoken(each.trouble))
    new, *older = ran
    return replace(
        report,
        facts=(*_loaded(report.target, new), *report.facts),
        ran=new,
        against=older[0] if older else None,
        pairs=compare.compare(older[0], new) if older else (),
    )


def _loaded(read: Target, ran: Ran) -> tuple[Row, ...]:
    """Compare the `_C` that was read at level 0 with the one that was loaded."""
    if ran.loaded is None or read.extension is None:
        return ()
    loaded = Path(ran.loaded.extension or ran.loaded.package)
    if loaded.resolve() == read.extension.resolve():
        return ()
    return (
        Row(
            rule="loaded",
            verdict=Verdict.FAIL,
            message=f"{loaded} was loaded, and {read.extension} was read",
            hint="Remove one of them: the interpreter takes another file than its suffixes say.",
        ),
    )


def _is_elsewhere(trouble: Trouble) -> bool:
    """Whether this machine, not the build, keeps the checks from running."""
    return trouble.where in _NO_PLACE or trouble.explanation.cause == "no-gpu"


def _spoken(trouble: Trouble) -> str:
    if trouble.where == "architecture":
        return f"{trouble.raw.splitlines()[0].partition(': ')[2]}; --arch names another"
    if trouble.explanation.cause == "unexplained":
        return trouble.raw.splitlines()[0] if trouble.raw else trouble.where
    return f"{trouble.explanation.what}. {trouble.explanation.cure}"


def _target(spec: str, python: Interpreter, kit: Toolkit, request: Request) -> Target:
    package = _package(spec, python, request)
    return target.inspect(spec, package, python, toolkit=kit, env=request.env)


def _package(spec: str, python: Interpreter, request: Request) -> Path:
    if spec == locate.INSTALLED:
        return _installed(python)
    if wheel.is_wheel(spec):
        return wheel.package(spec, python)
    found = locate.named(spec, python=python)
    if isinstance(found, Build):
        return found.package
    return _of_ref(spec, python, request) / target.PACKAGE


def _of_ref(ref: str, python: Interpreter, request: Request) -> Path:
    """Return the root of the cached build of the commit that a ref means.

    Raises:
        NowhereError: no repository has it.
        NotBuiltError: the cache has no build of it that this interpreter can load.
    """
    from dgpin.build import store  # noqa: PLC0415 - start-up: most builds are named by a path

    if re.fullmatch(r"[0-9a-f]{4,40}", ref):
        # What was built is known by its commit, without any repository.
        commits = {each.fingerprint.components.get("commit", "") for each in store.entries()}
        named = [commit for commit in commits if commit.startswith(ref)]
        if len(named) == 1 and (root := references.built(named[0], python)) is not None:
            return root
    mirror, resolved = Lookup(repositories=tuple(request.repositories())).resolve(ref)
    root = references.built(resolved.commit, python)
    if root is None:
        raise NotBuiltError(ref, resolved.commit, mirror.address.shown, python)
    return root


def _installed(python: Interpreter) -> Path:
    """Return what the host would import: a top-level package first, then vLLM's own copy."""
    for name in (target.PACKAGE, target.VENDORED):
        for place in python.search:
            if (place / name / "__init__.py").is_file():
                return place / name
    raise locate.NotInstalledError(python.path)


def _plan(
    under_test: Target, checks: tuple[Check, ...], request: Request, arch: str, needs: Needs
) -> Plan:
    kernels = environment.jit_cache(under_test.headers, under_test.toolkit)
    with contextlib.suppress(OSError):  # level 0 has said so; the build will say how it copes
        kernels.mkdir(parents=True, exist_ok=True)
    cores = len(os.sched_getaffinity(0))
    return Plan(
        label=under_test.label,
        python=under_test.python.path,
        package=under_test.package,
        arch=arch,
        checks=checks,
        env=environment.prepare(request.env, under_test.toolkit, kernels),
        shards=request.shards or max(1, min(_MOST_SHARDS, cores // 2)),
        expected=request.expected,
        needs=needs,
        directory=request.directory,
    )
