"""What is wrong with the deep_gemm of an environment, and what one should know of it."""

from collections.abc import Iterator, Sequence

from dgpin.pin.environment import Contested, Copy, Environment
from dgpin.pin.package import PACKAGE
from dgpin.verdict import Place, Row, Verdict


def judge(environment: Environment, *, pin: str | None = None) -> tuple[Row, ...]:
    """Return one row for each question about the environment.

    `pin` is the commit that the host pins: the copy that runs is compared with it.
    """
    return (
        _wins(environment),
        *_ownership(environment),
        *_contests(environment.contested),
        *_kernels(environment.copies),
        *_identity(environment, pin),
    )


def runs(environment: Environment) -> Copy | None:
    """Return the copy that a host such as vLLM uses: the installed one, else its own."""
    if environment.installed is not None:
        return environment.installed
    return environment.vendored[0] if environment.vendored else None


def _place(copy: Copy) -> Place:
    return Place(str(copy.directory / "__init__.py"))


def _wins(environment: Environment) -> Row:
    """Say which copy an import loads, and whether that is a surprise."""
    installed, vendored = environment.installed, environment.vendored
    if installed is None and not vendored:
        return Row(
            rule="import",
            verdict=Verdict.FAIL,
            message=f"there is no deep_gemm for {environment.python}",
            hint="Install one, or name another interpreter with --python.",
        )
    if installed is None:
        names = ", ".join(copy.name for copy in vendored)
        return Row(
            rule="import",
            verdict=Verdict.PASS,
            message=f"`import deep_gemm` fails here: there is only {names}",
            places=tuple(_place(copy) for copy in vendored),
        )
    others = [copy for copy in (*environment.hidden, *vendored) if not _same(copy, installed)]
    places = (_place(installed), *(_place(copy) for copy in others))
    if others:
        names = ", ".join(sorted({_named(copy) for copy in others}))
        return Row(
            rule="import",
            verdict=Verdict.FAIL,
            message=f"`import deep_gemm` loads {installed.directory}, which hides {names}: "
            "they differ, and a host that tries the installed one first never uses its own",
            places=places,
            hint=_uninstall(installed),
        )
    return Row(
        rule="import",
        verdict=Verdict.PASS,
        message=f"`import deep_gemm` loads {installed.directory}",
        places=places,
    )


def _named(copy: Copy) -> str:
    return copy.name if copy.is_vendored else str(copy.directory)


def _uninstall(copy: Copy) -> str:
    names = " ".join(owner.name for owner in copy.owners)
    return f"To use the other: pip uninstall {names}" if names else f"Remove {copy.directory}."


def _same(one: Copy, other: Copy) -> bool:
    """Whether two copies are of one source. A host may leave modules out, but no headers."""
    shared = one.blobs.keys() & other.blobs.keys()
    apart = {path for path in one.blobs.keys() ^ other.blobs.keys() if not path.endswith(".py")}
    return (
        f"{PACKAGE}/__init__.py" in shared
        and not apart
        and all(one.blobs[path] == other.blobs[path] for path in shared)
    )


def _ownership(environment: Environment) -> Iterator[Row]:
    for copy in environment.copies:
        who = " and ".join(map(str, copy.owners))
        if not copy.owners:
            yield Row(
                rule="owner",
                verdict=Verdict.UNKNOWN,
                message=f"no distribution says that it installed {copy.directory}",
                places=(_place(copy),),
            )
        elif len(copy.owners) > 1:
            yield Row(
                rule="owner",
                verdict=Verdict.FAIL,
                message=f"{copy.directory} has {len(copy.owners)} owners: {who}",
                places=(_place(copy),),
                hint="Uninstall all of them, then install the one that is meant.",
            )
        else:
            yield Row(
                rule="owner",
                verdict=Verdict.PASS,
                message=f"{copy.directory} belongs to {who}",
                places=(_place(copy),),
            )


def _contests(contested: Sequence[Contested]) -> Iterator[Row]:
    """Yield one row for each set of distributions that claim the same files."""
    groups: dict[tuple[str, ...], list[Contested]] = {}
    for each in contested:
        groups.setdefault(each.owners, []).append(each)
    for owners, files in groups.items():
        held = {name: sum(each.holder == name for each in files) for name in owners}
        whose = ", ".join(f"{count} of {name}" for name, count in held.items() if count)
        message = f"{' and '.join(owners)} both installed {len(files)} of the same files"
        yield Row(
            rule="contested",
            verdict=Verdict.FAIL,
            message=f"{message}; now there: {whose}" if whose else message,
            places=tuple(Place(str(each.path)) for each in files),
            hint="Uninstall all of them, then install the one that is meant.",
        )


def _kernels(copies: Sequence[Copy]) -> Iterator[Row]:
    """Compare the kernels that a binary compiles at run time with the headers beside it."""
    for copy in copies:
        lacking = [name for name in copy.wanted if name not in copy.families]
        if lacking:
            names = ", ".join(lacking[:3]) + (", …" if len(lacking) > len(lacking[:3]) else "")
            yield Row(
                rule="kernels",
                verdict=Verdict.FAIL,
                message=f"{copy.directory} lacks the headers of {len(lacking)} kernels that its "
                f"binary compiles at run time: {names}",
                places=(_place(copy),),
            )
        elif copy.families:
            yield Row(
                rule="kernels",
                verdict=Verdict.PASS,
                message=f"{copy.directory} has kernels for {', '.join(copy.arches)}",
                places=(_place(copy),),
            )


def _identity(environment: Environment, pin: str | None) -> Iterator[Row]:
    copy = runs(environment)
    if copy is None:
        return
    version = f"{_named(copy)} calls itself {copy.version or 'nothing'}"
    if copy.identity is None:
        yield Row(
            rule="commit",
            verdict=Verdict.UNKNOWN,
            message=f"{version}, which says little: several builds bear one version, and nothing "
            "here tells its commit",
            places=(_place(copy),),
        )
        return
    short, why = copy.identity.commit[:12], copy.identity.evidence.value
    message = f"{version} and comes from {short} ({why})"
    if pin is not None and not pin.startswith(copy.identity.commit):
        message, verdict = f"{message}; the pin is {pin[:12]}", Verdict.FAIL
    else:
        verdict = Verdict.PASS
    yield Row(rule="commit", verdict=verdict, message=message, places=(_place(copy),))
