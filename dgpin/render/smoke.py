"""The answer of `dgpin smoke`, and the list of its checks."""

from collections.abc import Iterable, Mapping, Sequence

from dgpin.render import junit
from dgpin.render import rows as rendered
from dgpin.render.document import document, summarise
from dgpin.render.rows import MARKS, cell
from dgpin.render.terminal import Line, Renderers
from dgpin.smoke.case import Check
from dgpin.smoke.compare import Difference, Pair
from dgpin.smoke.report import Report
from dgpin.smoke.results import Ran, Result
from dgpin.verdict import Row, Verdict

FORMS = ("text", "json", "markdown", "junit", "github")
_PALE = {Difference.SAME: "dim", Difference.FIXED: "green", Difference.GAINED: "green"}


def renderers(report: Report, *, shown: bool = False) -> Renderers:
    """Return every form of the answer; `shown` says that the checks' lines are on screen."""
    return {
        "text": lambda: text(report, shown=shown),
        "json": lambda: document("smoke", 1, content(report)),
        "markdown": lambda: markdown(report),
        "junit": lambda: junit.suite("dgpin smoke", cases(report)),
        "github": lambda: github(report),
    }


# Text.


def text(report: Report, *, shown: bool = False) -> tuple[Line, ...]:
    """Return the answer as lines of text."""
    facts = report.facts if report.level == 0 else [row for row in report.facts if _odd(row)]
    lines: list[Line] = [*_head(report), *rendered.lines(tuple(facts))]
    for ran in (report.ran, report.against):
        lines += trouble(ran) if ran is not None else ()
    if report.pairs:
        lines += [line for pair in report.pairs for line in pair_lines(pair)]
    elif not shown:
        lines += [check_line(result) for result in report.results]
    for result in report.results:
        lines += explained(result)
    if report.blocked:
        lines.append((("blocked     ", "bold yellow"), (report.blocked, "")))
    return (*lines, *_foot(report))


def _odd(row: Row) -> bool:
    return row.verdict is not Verdict.PASS


def _head(report: Report) -> Iterable[Line]:
    target, kit = report.target, report.target.toolkit
    yield ("build    ", ""), (target.label, "bold"), (f"  {_identity(report)}", "")
    loaded = report.ran.loaded if report.ran else None
    if loaded is not None:
        driver = f", driver {report.device.driver}" if report.device else ""
        yield ("gpu      ", ""), (f"{loaded.gpu} ({loaded.arch}){driver}", "")
        yield ("torch    ", ""), (f"{loaded.torch}, Python {loaded.python}", "")
    home = f"nvcc {kit.version or 'none'} in {kit.home} ({kit.origin})"
    yield ("toolkit  ", ""), (home, "")


def _identity(report: Report) -> str:
    loaded = report.ran.loaded if report.ran else None
    version = f"{loaded.version}, " if loaded and loaded.version else ""
    target = report.target
    return f"{version}_C {target.digest[:12] or 'none'}, headers {target.headers[:12]}"


def check_line(result: Result) -> Line:
    """Return a check's line: verdict, number and limit, control, cold seconds, warm ms."""
    word, style = MARKS[result.verdict]
    return (
        (f"{word:12}", style),
        (f"{result.check.id:19} ", "bold"),
        (f"{_number(result):22}", ""),
        (f"{_control(result):16}", "dim"),
        (f"{_times(result):22}" if result.message else _times(result), "dim"),
        (result.message, ""),
    )


def _number(result: Result) -> str:
    if result.number is None:
        return ""
    return f"{result.number:.3g} <= {result.check.limit:.3g}"


def _control(result: Result) -> str:
    return "" if result.control is None else f"control {result.control:.2g}"


def _times(result: Result) -> str:
    cold = f"{result.cold_seconds:.1f} s" if result.cold_seconds >= 0.05 else ""  # noqa: PLR2004 - shows as 0.0
    warm = "" if result.warm is None else f"{result.warm:.3f} ms"
    return f"{cold:>7} {warm:>10}".rstrip()


def explained(result: Result) -> Iterable[Line]:
    """Return cause and cure of a failure, and the raw text below them."""
    found = result.explanation
    if found is None:
        return
    yield ("", ""), (f"{result.check.id}: {found.what} ({found.cause})", "bold")
    yield ("  ", ""), (found.cure, "italic")
    for line in _excerpt(result.raw, found.said):
        yield ("  | ", "dim"), (line, "dim")


def trouble(ran: Ran) -> Iterable[Line]:
    """Return why nothing could run."""
    if ran.trouble is None:
        return
    found = ran.trouble.explanation
    told = f"{ran.label}, {ran.trouble.where}: {found.what} ({found.cause})"
    yield ("FAIL     ", "bold red"), (told, "")
    yield ("         ", ""), (found.cure, "italic")
    for line in _excerpt(ran.trouble.raw, found.said):
        yield ("  | ", "dim"), (line, "dim")


def _excerpt(raw: str, said: str, most: int = 8) -> Sequence[str]:
    """Return the lines around the one that told the cause; else the last ones."""
    # The worker's own frames say nothing that the message does not.
    told = raw.partition("Traceback (most recent call last):")[0] or raw
    lines = [line.rstrip()[:200] for line in told.splitlines() if line.strip()]
    first = said.splitlines()[0][:60] if said else ""
    at = next((i for i, line in enumerate(lines) if first and first in line), None)
    if at is None:
        return lines[-most:]
    return lines[max(0, at - 2) : at + most - 2]


def pair_lines(pair: Pair) -> Iterable[Line]:
    """Return a check's line of a comparison."""
    style = "bold red" if pair.difference.is_finding else _PALE.get(pair.difference, "yellow")
    old, new = _brief(pair.old), _brief(pair.new)
    yield (
        (f"{pair.difference.value:12}", style),
        (f"{pair.new.check.id:20}", "bold"),
        (f"{old:28} -> {new:28}", ""),
        (f"{_spread(pair.old)} -> {_spread(pair.new)}", "dim"),
    )


def _brief(result: Result) -> str:
    if result.number is not None:
        return f"{MARKS[result.verdict][0]} {result.number:.3g}"
    return MARKS[result.verdict][0]


def _spread(result: Result) -> str:
    """Return the median of the warm calls with the span of their middle four fifths."""
    times = result.warm_ms
    if not times:
        return "-"
    tenth = len(times) // 10
    return f"{result.warm:.3f} ms ({times[tenth]:.3f} to {times[-1 - tenth]:.3f})"


def _foot(report: Report) -> Iterable[Line]:
    if report.ran is not None:
        yield ((f"{_count(report.results)} in {report.ran.seconds:.1f} s", "bold"),)
    else:
        yield ((rendered.count(report.facts), "bold"),)
    if report.pairs:
        counted = [pair.difference for pair in report.pairs]
        told = ", ".join(f"{counted.count(d)} {d.value}" for d in Difference if d in counted)
        yield ((told, "bold"),)
    if report.level == 0:
        return
    proven = ", ".join(report.proven) or "none"
    yield ("proven on ", ""), (proven, "bold"), (f"; not on {', '.join(report.unproven)}", "")
    if report.untried:
        yield (
            ("never run on this architecture before: ", "yellow"),
            (", ".join(report.untried), ""),
        )


def _count(results: Sequence[Result]) -> str:
    verdicts = [result.verdict for result in results]
    order = [Verdict.PASS, *(verdict for verdict in Verdict if verdict is not Verdict.PASS)]
    return ", ".join(f"{verdicts.count(v)} {v.value}" for v in order if v in verdicts)


# JSON.


def content(report: Report) -> Mapping[str, object]:
    """Return the answer as JSON has it."""
    target, kit, device = report.target, report.target.toolkit, report.device
    return {
        "when": report.when,
        "level": report.level,
        "architecture": report.arch,
        "exit_code": report.exit_code(),
        "build": {
            "label": target.label,
            "package": str(target.package),
            "extension": str(target.extension or ""),
            "sha256": target.digest,
            "headers_sha256": target.headers,
            "fingerprint": target.fingerprint,
            "commit": target.commit or None,
            "requires": list(target.requires),
        },
        "gpu": None if device is None else {"name": device.name, "driver": device.driver},
        "toolchain": {
            "python": target.python.version,
            "torch": target.torch.version if target.torch else "",
            "cuda_home": str(kit.home or ""),
            "cuda_home_origin": kit.origin,
            "nvcc": kit.version,
        },
        "facts": [rendered.as_json(row) for row in report.facts],
        "blocked": report.blocked,
        "run": None if report.ran is None else _ran(report.ran),
        "against": None if report.against is None else _ran(report.against),
        "differences": [
            {"check": pair.new.check.id, "difference": pair.difference.value}
            for pair in report.pairs
        ],
        "proven": list(report.proven),
        "not_proven": list(report.unproven),
        "never_run_here_before": list(report.untried),
    }


def _ran(ran: Ran) -> Mapping[str, object]:
    loaded = ran.loaded
    return {
        "label": ran.label,
        "seconds": round(ran.seconds, 2),
        "processes": ran.shards,
        "loaded": None
        if loaded is None
        else {
            "version": loaded.version,
            "package": loaded.package,
            "extension": loaded.extension,
            "torch": loaded.torch,
            "cuda": loaded.cuda,
            "python": loaded.python,
            "gpu": loaded.gpu,
            "architecture": loaded.arch,
        },
        "trouble": None
        if ran.trouble is None
        else {
            "where": ran.trouble.where,
            "cause": ran.trouble.explanation.cause,
            "what": ran.trouble.explanation.what,
            "cure": ran.trouble.explanation.cure,
            "raw": ran.trouble.raw,
        },
        "checks": [_result(result) for result in ran.results],
    }


def _result(result: Result) -> Mapping[str, object]:
    found = result.explanation
    return {
        "id": result.check.id,
        "verdict": result.verdict.value,
        "message": result.message,
        "metric": result.check.metric,
        "number": finite(result.number),
        "limit": result.check.limit,
        "controls": {name: finite(value) for name, value in result.controls.items()},
        "floor": result.check.floor,
        "differing_repeats": result.differing,
        "seconds": round(result.seconds, 3),
        "cold_seconds": round(result.cold_seconds, 3),
        "warm_ms": [round(each, 5) for each in result.warm_ms],
        "kernels": list(result.kernels),
        "notes": dict(result.notes),
        "explanation": None
        if found is None
        else {"cause": found.cause, "what": found.what, "cure": found.cure},
        "raw": result.raw,
    }


def finite(number: float | None) -> float | str | None:
    """Return a number as JSON can hold it: NaN and infinity are no JSON."""
    if number is None or abs(number) < float("inf"):
        return number
    return str(number)


# Markdown, GitHub, JUnit.


def markdown(report: Report) -> str:
    """Return the answer as Markdown: what ran, every check, and what was not proven."""
    lines = [f"## {report.target.label}", "", *_facts(report), ""]
    if report.blocked:
        lines += [f"Blocked: {report.blocked}", ""]
    odd = [row for row in report.facts if _odd(row)]
    if odd:
        lines += [rendered.markdown(odd)]
    if report.pairs:
        lines += _pairs_table(report.pairs)
    elif report.results:
        lines += _checks_table(report.results)
    if report.ran is not None:
        lines += ["", f"{_count(report.results)} in {report.ran.seconds:.1f} s."]
    if report.level:
        proven = ", ".join(report.proven) or "none"
        lines += ["", f"Proven on {proven}; not on {', '.join(report.unproven)}."]
    return "\n".join(lines) + "\n"


def _facts(report: Report) -> Iterable[str]:
    target, kit = report.target, report.target.toolkit
    yield f"- build: {_identity(report)}"
    loaded = report.ran.loaded if report.ran else None
    if loaded is not None:
        driver = f", driver {report.device.driver}" if report.device else ""
        yield f"- GPU: {loaded.gpu} ({loaded.arch}){driver}"
        yield f"- torch {loaded.torch}, Python {loaded.python}"
    yield f"- nvcc {kit.version or 'none'} in `{kit.home}` ({kit.origin})"
    if report.ran is not None:
        yield f"- {report.ran.shards} processes, {report.when}"
    if target.fingerprint:
        yield f"- fingerprint {target.fingerprint}"


def _checks_table(results: Sequence[Result]) -> Iterable[str]:
    yield "| check | verdict | number | limit | control | cold s | warm ms | what |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for result in results:
        number = "" if result.number is None else f"{result.number:.3g}"
        control = "" if result.control is None else f"{result.control:.2g}"
        warm = "" if result.warm is None else f"{result.warm:.3f}"
        what = cell(result.message)
        yield (
            f"| {result.check.id} | {result.verdict.value} | {number} "
            f"| {result.check.limit:.3g} | {control} | {result.cold_seconds:.1f} | {warm} "
            f"| {what} |"
        )


def _pairs_table(pairs: Sequence[Pair]) -> Iterable[str]:
    yield "| check | difference | old | new | old warm | new warm |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for pair in pairs:
        yield (
            f"| {pair.new.check.id} | {pair.difference.value} | {cell(_brief(pair.old))} "
            f"| {cell(_brief(pair.new))} | {_spread(pair.old)} | {_spread(pair.new)} |"
        )


def github(report: Report) -> str:
    """Return annotations, and write the step summary."""
    summarise(markdown(report))
    return rendered.annotations((*report.facts, *map(_as_row, report.results)))


def _as_row(result: Result) -> Row:
    hint = result.explanation.cure if result.explanation else ""
    return Row(rule=result.check.id, verdict=result.verdict, message=result.message, hint=hint)


def cases(report: Report) -> Iterable[junit.Case]:
    """Return facts and checks as test cases."""
    for row in report.facts:
        yield junit.Case(
            group="level 0", name=row.rule, verdict=row.verdict, message=row.message, text=row.hint
        )
    if report.blocked:
        yield junit.Case(group="run", name="start", verdict=Verdict.UNKNOWN, message=report.blocked)
    if report.ran is not None and report.ran.trouble is not None:
        found = report.ran.trouble
        yield junit.Case(
            group="run",
            name=found.where,
            verdict=Verdict.FAIL,
            message=found.explanation.what,
            text=f"{found.explanation.cure}\n\n{found.raw}",
        )
    for result in report.results:
        found_cure = f"{result.explanation.cure}\n\n" if result.explanation else ""
        yield junit.Case(
            group=report.arch,
            name=result.check.id,
            verdict=result.verdict,
            message=result.message,
            text=found_cure + result.raw,
            seconds=result.seconds,
        )


def listing(checks: Iterable[Check]) -> Iterable[Line]:
    """Return the checks with what each would have caught."""
    for check in checks:
        names = "".join(f" [{name}]" for name in check.capabilities)
        yield (
            (f"{check.id:20}", "bold"),
            (f"{check.level}  ", "dim"),
            (f"{', '.join(check.arches):28}", "dim"),
            (f"{check.guards}{names}", ""),
        )
        untried = [arch for arch in check.arches if arch not in check.ran_on]
        if untried:
            yield ((f"{'':20}   never run on {', '.join(untried)}", "yellow"),)
