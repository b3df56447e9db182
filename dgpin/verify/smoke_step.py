"""Is the new build sound on the architectures that matter? Only a GPU of each can prove it."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from dgpin.api.builds import Build
from dgpin.errors import DgpinError, UnavailableError
from dgpin.pin import grammar
from dgpin.smoke import catalogue, device, headers, session
from dgpin.smoke.device import Device
from dgpin.smoke.report import ARCHITECTURES, Report
from dgpin.verdict import Row, Verdict
from dgpin.verify.answer import Answer, Step, ordered, within, worst
from dgpin.verify.material import Material

_WHERE = "`dgpin smoke --arch {arch}` on a machine that has one; `dgpin ci` writes the pipeline."


class _Quiet:
    """Nobody watches: the other steps run at the same time."""

    def begin(self, plans: object) -> None:
        """Learn what will run."""

    def watch(self, label: str, event: object) -> None:
        """See an event."""


def run(
    material: Material, wanted: Sequence[str], built: Path | None
) -> tuple[Answer, tuple[Row, ...]]:
    """Return the answer, and a row for each architecture that is wanted."""
    package, spec, why = _build(material, built)
    gpu = device.first(material.request.env)
    report: Report | None = None
    if gpu is not None and spec:
        try:
            report = _smoke(material, spec)
        except DgpinError as error:
            why = error.message
    commit = material.subject.new.commit
    faults = list(_faults(package, wanted, commit)) if package is not None else []
    rows = (
        *faults,
        *(_found(report) if report is not None else ()),
        *(_proof(arch, report, gpu, why) for arch in wanted),
    )
    proofs = rows[len(rows) - len(wanted) :]
    unproved = [row.rule for row in proofs if row.verdict is not Verdict.PASS]
    proved = [row.rule for row in proofs if row.verdict is Verdict.PASS]
    parts = [
        *([f"{len(faults)} known fault{'s' * (len(faults) != 1)}"] if faults else []),
        *([f"proved on {', '.join(proved)}"] if proved else []),
        *([f"not proved on {', '.join(unproved)}"] if unproved else []),
    ]
    answer = Answer(
        step=Step.SMOKE,
        verdict=worst(row.verdict for row in rows) if rows else Verdict.UNKNOWN,
        summary="; ".join(parts) or "the host names no architecture",
        rows=ordered(rows),
        more=f"dgpin smoke --build {shlex.quote(spec) if spec else 'BUILD'} --host .",
        evidence=material.request.document(Step.SMOKE, report) if report is not None else None,
    )
    return answer, proofs


def _build(material: Material, built: Path | None) -> tuple[Path | None, str, str]:
    """Return the package under test, its name for smoke, and why there is none."""
    if built is not None:
        return built / "deep_gemm", str(built), ""
    try:
        named = material.new()
    except UnavailableError as error:
        return None, "", error.message
    if not isinstance(named, Build):
        return None, "", "nothing is built; --build compiles it, --new names a build"
    return named.package, str(named.root), ""


def _smoke(material: Material, spec: str) -> Report:
    request = session.Request(
        build=spec,
        host=material.subject.host.root,
        python=str(material.python().path),
        env=material.request.env,
        expected=frozenset(map(str, material.subject.fit.config.smoke.get("expect", ()))),
    )
    return session.run(request, catalogue.load(), _Quiet())


def _faults(package: Path, wanted: Sequence[str], commit: str) -> Iterator[Row]:
    """Yield the faults that can be seen in the headers, on whichever machine."""
    seen = {row for arch in wanted for row in headers.rows(package, arch=arch)}
    for row in sorted(seen):
        if row.verdict.is_finding:
            inner = Path(row.places[0].path)
            shown = inner.relative_to(package.parent) if inner.is_relative_to(package) else inner
            place = row.places[0]._replace(path=shown.as_posix())
            yield row._replace(places=(within(commit, place),))


def _found(report: Report) -> Iterator[Row]:
    for result in report.results:
        if result.verdict.is_finding:
            yield Row(
                rule=result.check.id,
                verdict=result.verdict,
                message=result.message,
                hint=result.explanation.cure if result.explanation else "",
            )
    yield from (row for row in report.facts if row.verdict.is_finding)
    if report.ran is not None and report.ran.trouble is not None:
        found = report.ran.trouble.explanation
        yield Row(rule="load", verdict=Verdict.FAIL, message=found.what, hint=found.cure)


def _proof(arch: str, report: Report | None, gpu: Device | None, why: str) -> Row:
    hint = _WHERE.format(arch=arch)
    if report is not None and arch in {report.arch, grammar.family(report.arch)}:
        if report.proven:
            return Row(rule=arch, verdict=Verdict.PASS, message=f"proved on {_name(gpu)}")
        if report.blocked:
            return Row(rule=arch, verdict=Verdict.UNKNOWN, message=report.blocked, hint=hint)
        if report.exit_code() == 1:
            return Row(rule=arch, verdict=Verdict.FAIL, message=f"not sound on {_name(gpu)}")
        message = f"not proved: on {_name(gpu)} not every check of the core had an answer"
        return Row(rule=arch, verdict=Verdict.UNKNOWN, message=message, hint=hint)
    if arch not in ARCHITECTURES:
        return Row(rule=arch, verdict=Verdict.UNKNOWN, message="not proved: no check is for it")
    if gpu is None:
        message = "not proved: there is no GPU here"
    elif report is None:
        message = f"not proved: {why}"
    else:
        message = f"not proved: the GPU here is {_name(gpu)}"
    return Row(rule=arch, verdict=Verdict.UNKNOWN, message=message, hint=hint)


def _name(gpu: Device | None) -> str:
    return f"{gpu.name} ({gpu.arch})" if gpu is not None else "the GPU here"
