"""Run the steps side by side and collect their answers."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from dgpin.errors import DgpinError, UnavailableError, UsageError
from dgpin.pin.host import Fit, Host
from dgpin.verdict import Place, Row, Verdict
from dgpin.verify import inputs, kept, subject
from dgpin.verify.answer import Answer, Step, Verified
from dgpin.verify.material import Material
from dgpin.verify.request import Request


def verify(request: Request, host: Host, fit: Fit, link: tuple[str, Place] | None) -> Verified:
    """Ask everything of the pin, or of the move to a REF; nothing is written.

    Raises:
        DgpinError: what is to be verified cannot be told; see `subject.find`.
    """
    began = time.monotonic()
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    about = subject.find(request, host, fit, link)
    material = Material(request, about)
    answers, proofs = _answers(material)
    return Verified(
        host=str(host.root),
        old=about.old,
        new=about.new,
        required=request.required,
        architectures=proofs,
        answers=answers,
        when=when,
        seconds=round(time.monotonic() - began, 2),
    )


def _answers(material: Material) -> tuple[tuple[Answer, ...], tuple[Row, ...]]:
    # Mostly they wait for git, compilers and interpreters, so threads do.
    with ThreadPoolExecutor(len(Step)) as pool:
        simple: dict[Step, Callable[[Material], Answer]] = {
            Step.CHECK: _check,
            Step.API: _api,
            Step.LINT: _lint,
            Step.CARRY: _carry,
        }
        runs = {step: pool.submit(_timed, material, step, run) for step, run in simple.items()}
        building = pool.submit(_build, material)
        smoking = pool.submit(_smoke, material, building)
        built, _ = building.result()
        smoked, proofs = smoking.result()
        answers = {step: run.result() for step, run in runs.items()}
    answers |= {Step.BUILD: built, Step.SMOKE: smoked}
    return tuple(answers[step] for step in Step), proofs


# Whoever runs a step imports it: one that is left out, or was answered before, costs nothing.


def _check(material: Material) -> Answer:
    from dgpin.verify import check_step  # noqa: PLC0415 - see above

    return check_step.run(material)


def _api(material: Material) -> Answer:
    def make() -> Answer:
        from dgpin.verify import api_step  # noqa: PLC0415 - see above

        return api_step.run(material)

    if material.subject.old is None:
        return Answer(step=Step.API, verdict=Verdict.SKIP, summary="nothing moves")
    return kept.answer(Step.API, material.inputs(), make)


def _lint(material: Material) -> Answer:
    def make() -> Answer:
        from dgpin.verify import api_step  # noqa: PLC0415 - see above

        return api_step.lint(material)

    return kept.answer(Step.LINT, material.inputs(), make)


def _carry(material: Material) -> Answer:
    def make() -> Answer:
        from dgpin.verify import carry_step  # noqa: PLC0415 - see above

        return carry_step.run(material)

    if material.subject.old is None:
        return Answer(step=Step.CARRY, verdict=Verdict.SKIP, summary="nothing moves")
    return kept.answer(Step.CARRY, inputs.of_carry(material), make)


def _timed(material: Material, step: Step, run: Callable[[Material], Answer]) -> Answer:
    if step in material.request.skipped:
        return _skipped(step)
    began = time.monotonic()
    try:
        answer = run(material)
    except DgpinError as error:
        answer = _failed(step, error)
    return _with_seconds(answer, began)


def _with_seconds(answer: Answer, began: float) -> Answer:
    return replace(answer, seconds=round(time.monotonic() - began, 2))


def _build(material: Material) -> tuple[Answer, Path | None]:
    roots: list[Path | None] = [None]

    def run(each: Material) -> Answer:
        from dgpin.verify import build_step  # noqa: PLC0415 - see above

        answer, roots[0] = build_step.run(each)
        return answer

    return _timed(material, Step.BUILD, run), roots[0]


def _smoke(
    material: Material, building: "Future[tuple[Answer, Path | None]]"
) -> tuple[Answer, tuple[Row, ...]]:
    if Step.SMOKE in material.request.skipped:
        why = "not proved: left out with --skip"
        return _skipped(Step.SMOKE), tuple(
            Row(rule=arch, verdict=Verdict.SKIP, message=why) for arch in material.architectures()
        )
    proofs: list[tuple[Row, ...]] = [()]

    def run(each: Material) -> Answer:
        from dgpin.verify import smoke_step  # noqa: PLC0415 - see above

        # Only a build that is made here has to be waited for.
        _, root = building.result() if each.request.compile else (None, None)
        answer, proofs[0] = smoke_step.run(each, each.architectures(), root)
        return answer

    return _timed(material, Step.SMOKE, run), proofs[0]


def _skipped(step: Step) -> Answer:
    return Answer(step=step, verdict=Verdict.SKIP, summary="left out with --skip")


def _failed(step: Step, error: DgpinError) -> Answer:
    """Turn a failure of one step into its answer; a wrong request is one of the whole run.

    Raises:
        UsageError: the request is wrong.
    """
    if isinstance(error, UsageError):
        raise error
    unknown = isinstance(error, UnavailableError)
    verdict = Verdict.UNKNOWN if unknown else Verdict.FAIL
    row = Row(rule=step.value, verdict=verdict, message=error.message, hint=error.hint)
    return Answer(
        step=step,
        verdict=verdict,
        summary="not told" if unknown else "refused",
        rows=(row,),
    )
