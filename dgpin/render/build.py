"""The answer of `dgpin build`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from dgpin.build.fingerprint import Difference
from dgpin.build.job import Job, Result
from dgpin.build.log import Digest
from dgpin.build.table import Item, Preflight, Status
from dgpin.render.document import document
from dgpin.render.rows import MARKS, spoken
from dgpin.render.terminal import Line, Renderers

FORMS = ("text", "json")
_STATUS = {
    Status.FOUND: ("found", "green"),
    Status.NOTE: ("note", "yellow"),
    Status.MISSING: ("MISSING", "bold red"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What `build` did; the parts that were not asked for are empty."""

    jobs: tuple[Job, ...]
    preflights: tuple[Preflight, ...] = ()
    results: tuple[Result, ...] = ()
    needed: tuple[Difference, ...] | None = None
    asked_needed: bool = False
    copied: Path | None = None
    wheels: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()


def renderers(answer: Answer) -> Renderers:
    """Return every form of the answer."""
    return {
        "text": lambda: text(answer),
        "json": lambda: document("build", 1, content(answer)),
    }


def text(answer: Answer) -> tuple[Line, ...]:
    """Return the answer as lines of text."""
    lines: list[Line] = [(("note     ", "yellow"), (note, "")) for note in answer.notes]
    if answer.asked_needed:
        lines += _needed(answer)
    for checked in answer.preflights:
        lines += table(checked)
    for result in answer.results:
        lines += _result(result, several=len(answer.jobs) > 1)
    for path in (*([answer.copied] if answer.copied else []), *answer.wheels):
        lines.append((("wrote    ", ""), (str(path), "bold")))
    return tuple(lines)


def table(checked: Preflight) -> tuple[Line, ...]:
    """Return the table of a preflight, and the command that installs what is missing."""
    lines: list[Line] = []
    for item in checked.items:
        word, style = _STATUS[item.status]
        lines.append(((f"{word:8} ", style), (f"{item.name:26} ", "bold"), (item.detail, "")))
        lines += [((" " * 36, ""), (cure, "italic")) for cure in cures(item, checked)]
        lines += [
            ((" " * 36, ""), (f"needed by {place}", "cyan")) for place in spoken(item.needed_by)
        ]
    missing = len(checked.missing)
    if missing:
        lines.append(((f"{missing} missing", "bold red"),))
        if command := checked.toolchain.distribution.install(checked.packages):
            lines.append((("  ", ""), (command, "bold")))
    return tuple(lines)


def cures(item: Item, checked: Preflight) -> tuple[str, ...]:
    """Return what to install for a missing item, the distribution's way first."""
    if item.status is not Status.MISSING:
        return ()
    command = checked.toolchain.distribution.install([item.package] if item.package else [])
    return tuple(
        word for word in (command, f"pip install '{item.pip}'" if item.pip else "") if word
    )


def _needed(answer: Answer) -> Iterator[Line]:
    if answer.needed is None:
        yield (("no build is needed", "green"), (": nothing changed", ""))
    elif not answer.needed:
        yield (("a build is needed", "bold"), (": there is none to compare with", ""))
    else:
        yield (("a build is needed", "bold"), ("", ""))
        for each in answer.needed:
            was, now = each.was or "nothing", each.now or "nothing"
            yield ((f"  {each.component:11}", "bold"), (f"{was} → {now}", ""))


def _result(result: Result, *, several: bool) -> Iterator[Line]:
    word, style = MARKS[result.verdict]
    toolkit = result.job.toolchain.toolkit
    where = f"  CUDA {toolkit.version} in {toolkit.home}" if several and toolkit else ""
    took = f" in {result.seconds:.1f} s" if result.seconds else ""
    yield ((f"{word:8} ", style), (f"{result.message}{took}{where}", ""))
    for name, digest in result.errors:
        yield from _error(name, digest)
    for each in result.imports:
        if not each.tried:
            yield ((" " * 9, ""), (f"Python {each.python}: not imported, it has no torch", ""))
        elif each.works:
            yield ((" " * 9, ""), (f"Python {each.python}: imported", ""))
    if result.entry is not None:
        yield (("package  ", ""), (str(result.entry.package), "bold"))
    if result.log is not None:
        yield (("log      ", ""), (str(result.log), ""))


def _error(name: str, digest: Digest) -> Iterator[Line]:
    yield ((" " * 9, ""), (name, "bold"))
    for line in digest.first:
        yield ((" " * 9, ""), (line, ""))
    if digest.more:
        yield (
            (" " * 9, ""),
            (f"and {digest.more} more errors, which may follow from it", "italic"),
        )


def content(answer: Answer) -> Mapping[str, object]:
    """Return the answer as JSON has it."""
    return {
        "source": _source(answer.jobs[0]) if answer.jobs else None,
        "notes": list(answer.notes),
        "needed": _needed_json(answer),
        "preflight": [_preflight_json(each) for each in answer.preflights],
        "builds": [_result_json(each) for each in answer.results],
        "copied": str(answer.copied) if answer.copied else None,
        "wheels": [str(path) for path in answer.wheels],
    }


def _source(job: Job) -> Mapping[str, object]:
    source = job.source
    return {
        "label": source.label,
        "root": str(source.root),
        "commit": source.commit or None,
        "dirty": source.dirty,
        "digest": source.digest,
        "binding": job.recipe.binding.value,
        "submodules": [
            {"path": each.path, "recorded": each.recorded, "present": each.present}
            for each in source.submodules
        ],
    }


def _needed_json(answer: Answer) -> Mapping[str, object] | None:
    if not answer.asked_needed:
        return None
    changes = [
        {"component": each.component, "was": each.was, "now": each.now}
        for each in answer.needed or ()
    ]
    return {"needed": answer.needed is not None, "changes": changes}


def _preflight_json(checked: Preflight) -> Mapping[str, object]:
    return {
        "distribution": checked.toolchain.distribution.name,
        "missing": len(checked.missing),
        "install": checked.toolchain.distribution.install(checked.packages),
        "items": [
            {
                "kind": item.kind.value,
                "name": item.name,
                "status": item.status.value,
                "detail": item.detail,
                "package": item.package,
                "pip": item.pip,
                "needed_by": [{"path": p.path, "line": p.line} for p in item.needed_by],
            }
            for item in checked.items
        ],
    }


def _result_json(result: Result) -> Mapping[str, object]:
    return {
        "verdict": result.verdict.value,
        "message": result.message,
        "cached": result.cached,
        "seconds": result.seconds,
        "package": str(result.entry.package) if result.entry else None,
        "log": str(result.log) if result.log else None,
        "fingerprint": result.job.fingerprint.as_json(),
        "errors": [
            {"target": name, "first": list(digest.first), "more": digest.more}
            for name, digest in result.errors
        ],
        "imports": [
            {"python": each.python, "tried": each.tried, "works": each.works, "error": each.error}
            for each in result.imports
        ],
    }
