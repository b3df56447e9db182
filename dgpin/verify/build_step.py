"""Can the source be compiled here: what is missing, and, when asked, the build itself."""

from pathlib import Path

from dgpin.build import compiler, distro, job, obtain, source
from dgpin.build.job import Job, Result
from dgpin.build.table import Item, Preflight
from dgpin.errors import UnavailableError
from dgpin.pin import facts as cached
from dgpin.pin import grammar
from dgpin.pin.facts import Facts
from dgpin.verdict import Row, Verdict
from dgpin.verify.answer import SHORT, Answer, Step, ordered
from dgpin.verify.material import Material, source_in

_PACKAGES = {"apt": "packages.deb", "dnf": "packages.rpm", "apk": "packages.apk"}


class Built:
    """What the step found; `result` is None where only the preflight was asked for."""

    def __init__(self, job: Job, preflight: Preflight, result: Result | None) -> None:
        self.job = job
        self.preflight = preflight
        self.result = result


def run(material: Material) -> tuple[Answer, Path | None]:
    """Return the answer, and the directory that holds the build where there is one."""
    try:
        made = _prepared(material)
    except UnavailableError as error:
        return _without_source(material, error), None
    checked = job.check(made)
    result = job.run(made) if material.request.compile and not checked.missing else None
    built = Built(made, checked, result)
    root = result.entry.root if result is not None and result.entry is not None else None
    return _answer(material, built), root


def _prepared(material: Material) -> Job:
    got = _obtained(material)
    recipe = job.read_recipe(got.root)
    if got.commit is None or got.submodules is None:
        tree = source.read(got.root, recipe, label=got.label)
    else:
        tree = source.of_commit(
            got.root, recipe, label=got.label, commit=got.commit, submodules=got.submodules
        )
    return job.prepare(tree, recipe, (str(material.python().path),))


def _obtained(material: Material) -> obtain.Obtained:
    new, mirrors = material.subject.new, material.subject.mirrors
    if (directory := source_in(new)) is not None:
        return obtain.Obtained(root=directory.resolve(), label=new.given)
    known = obtain.exported(new.commit) if new.commit else None
    if known is not None:
        return known
    if mirrors is None or not new.commit:
        raise _NoSourceError(material.subject.known.why or "nothing names a commit")
    with material.git:
        tree = mirrors.mirror(new.repo).tree(new.commit)
        return obtain.export(tree, new.commit, label=new.commit[:SHORT])


class _NoSourceError(UnavailableError):
    """There is nothing to compile."""

    hint = "Run it once with network, or name a source's directory with --new."

    def __init__(self, why: str) -> None:
        super().__init__(f"the source is not at hand: {why}")


def _answer(material: Material, built: Built) -> Answer:
    rows = [_missing(item) for item in built.preflight.missing]
    verdict, summary = Verdict.PASS, "everything that a build needs is here; --build compiles it"
    if rows:
        count = len(rows)
        verdict = Verdict.UNKNOWN
        install = built.preflight.toolchain.distribution.install(built.preflight.packages)
        summary = f"not tried: {count} thing{'s' if count != 1 else ''} missing on this machine"
        if install:
            summary += f"; {install}"
    elif built.result is not None:
        verdict, summary = built.result.verdict, built.result.message
        rows += [
            Row(rule="compile", verdict=Verdict.FAIL, message=f"{name}: {' '.join(digest.first)}")
            for name, digest in built.result.errors
        ]
    return Answer(
        step=Step.BUILD,
        verdict=verdict,
        summary=summary,
        rows=ordered(rows),
        more=f"dgpin build {_word(material)}{'' if built.result else ' --preflight'}",
        evidence=material.request.document(Step.BUILD, built),
    )


def _word(material: Material) -> str:
    """Return what is compiled as `dgpin build` takes it: a build that was given is no source."""
    new = material.subject.new
    return new.word if source_in(new) is not None else new.commit[:SHORT] or "REF"


def _missing(item: Item) -> Row:
    cure = item.package or item.pip
    return Row(
        rule=item.kind.value,
        verdict=Verdict.UNKNOWN,
        message=f"{item.name}: {item.detail}",
        places=item.needed_by,
        hint=f"Install {cure}." if cure else "",
    )


def _without_source(material: Material, error: UnavailableError) -> Answer:
    """Say what the source would need, from its facts, where its files are not at hand."""
    commit = material.subject.new.commit
    known = cached.load(commit) if commit else None
    rows = [
        Row(rule="source", verdict=Verdict.UNKNOWN, message=error.message, hint=error.hint),
        *(_needs(known, material) if known is not None else ()),
    ]
    where = _wants(known) if known is not None else ""
    return Answer(
        step=Step.BUILD,
        verdict=Verdict.UNKNOWN,
        summary=f"not tried here{where}",
        rows=tuple(rows),
        more=f"dgpin build {_word(material)}",
    )


def _wants(known: Facts) -> str:
    """Return where it can be done: `; where there is GCC 13, CUDA 12.9`."""
    named = (("GCC", "gcc_min"), ("CUDA", "cuda_min"))
    parts = [f"{name} {value}" for name, fact in named if (value := known.scalar(fact))]
    return f"; can be done where there is {', '.join(parts)}" if parts else ""


def _needs(known: Facts, material: Material) -> list[Row]:
    rows = []
    floor = known.scalar("gcc_min")
    found = compiler.find(material.request.env)
    if floor and found is not None and found.kind == "gcc":
        enough = grammar.version_key(found.version) >= grammar.version_key(floor)
        rows.append(
            Row(
                rule="compiler",
                verdict=Verdict.PASS if enough else Verdict.UNKNOWN,
                message=f"the source needs GCC {floor}; this machine has {found.label}",
                places=known.origin("gcc_min")[:1],
                hint="" if enough else f"Compile it where there is GCC {floor}.",
            )
        )
    here = distro.read()
    packages = known.items(_PACKAGES.get(here.family.value, ""))
    if packages:
        rows.append(
            Row(
                rule="package",
                verdict=Verdict.UNKNOWN,
                message=f"the source includes headers of {', '.join(packages)}",
                hint=here.install(packages),
            )
        )
    return rows
