"""Do the sites agree and fit the source: as they stand, or as a bump would leave them?"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from dgpin.errors import DgpinError, UnavailableError
from dgpin.pin import capability, check, import_check, move, stray
from dgpin.pin.capability import Loss, RecipeChange
from dgpin.pin.facts import Facts
from dgpin.pin.host import Fit
from dgpin.pin.move import Move
from dgpin.pin.pinned import Pinned, read_pinned
from dgpin.pin.sites import read_sites
from dgpin.source.resolve import Resolved, UnreachableError
from dgpin.verdict import Place, Row, Verdict
from dgpin.verify.answer import Answer, Step, ordered, within, worst
from dgpin.verify.material import Material
from dgpin.verify.subject import Subject

# What cannot be built or run at all comes before what is only wrong on paper.
_FIRST = (
    "commit-offered",
    "loss",
    "refused",
    "entry-point",
    "import",
    "arch-gate",
    "floor",
    "file-exists",
)
_LAST = ("comment", "gone-file")


class Checked(NamedTuple):
    """What the step found: the rows, and the pin that they are about."""

    subject: Subject
    fit: Fit
    pinned: Pinned
    rows: tuple[Row, ...]


def run(material: Material) -> Answer:
    """Judge the sites; for a move, those that the bump would write, with what it would lose."""
    with material.git:
        if material.subject.old is None:
            checked = _standing(material.subject)
            evidence = material.request.document(Step.CHECK, checked)
            return _answer(checked.rows, "", "dgpin check", evidence)
        return _moved(material)


def _answer(rows: tuple[Row, ...], summary: str, more: str, evidence: object) -> Answer:
    shown = sorted(ordered(_floors(rows)), key=_order)
    failed = sum(row.verdict.is_finding for row in shown)
    open_ = sum(row.verdict is Verdict.UNKNOWN for row in shown)
    said = f"{failed} findings" if failed != 1 else "1 finding"
    sound = f"{open_} could not be told" if open_ else "the sites agree and fit the source"
    return Answer(
        step=Step.CHECK,
        verdict=worst(row.verdict for row in rows),
        summary=f"{said if failed else sound}{summary}",
        rows=tuple(shown),
        more=more,
        evidence=evidence if isinstance(evidence, dict) else None,
    )


def _floors(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the rows; gates that are all too low for one floor of the source are one row."""
    low: dict[str, list[Row]] = {}
    for row in rows:
        if row.rule == "floor" and row.verdict.is_finding:
            low.setdefault(row.message.partition(";")[0], []).append(row)
        else:
            yield row
    # The compiler first: without it nothing else is reached.
    for needs, group in sorted(low.items(), key=lambda item: "GCC" not in item[0]):
        said = dict.fromkeys(row.message.rpartition(" ")[2] for row in group)
        places = tuple(place for row in group for place in row.places[:1])
        verb = group[0].message.partition("; ")[2].rpartition(" ")[0]
        yield group[0]._replace(message=f"{needs}; {verb} {', '.join(said)}", places=places)


def _order(row: Row) -> tuple[int, int]:
    weight = 0 if row.verdict.is_finding else 1 if row.verdict is Verdict.UNKNOWN else 2
    if row.rule in _FIRST:
        return weight, _FIRST.index(row.rule)
    return weight, len(_FIRST) + (row.rule in _LAST)


# The pin as it stands.


def _standing(subject: Subject) -> Checked:
    facts, untold = _facts(subject)
    rows = (
        *_offered(subject.resolved, subject),
        *check.check(
            subject.host,
            subject.fit,
            subject.pinned,
            facts,
            search=stray.search_in(subject.host.root),
        ),
        *untold,
        *(_faults(subject) if facts is not None else ()),
    )
    return Checked(subject=subject, fit=subject.fit, pinned=subject.pinned, rows=rows)


def _facts(subject: Subject) -> tuple[Facts | None, tuple[Row, ...]]:
    if not subject.new.commit:
        return None, ()  # every row that needs them says so
    try:
        return subject.sources.facts(subject.new.repo, subject.new.commit), ()
    except UnavailableError:
        return None, ()
    except DgpinError as error:
        return None, (_refused(error),)


def _faults(subject: Subject) -> Iterator[Row]:
    if subject.mirrors is None:
        return
    faults = subject.mirrors.import_faults(subject.new.repo, subject.new.commit)
    yield from _import_rows(faults, subject.new.commit)


def _import_rows(faults: Sequence[import_check.ImportFault], commit: str) -> Iterator[Row]:
    for fault in faults:
        yield Row(
            rule="import",
            verdict=Verdict.FAIL,
            message=f"importing the source fails: {str(fault).partition(': ')[2]}",
            places=(Place(f"{commit[:8]}:{fault.place.path}", fault.place.line),),
            hint="Pin a commit in which its Python half can be imported.",
        )


# A move.


def _moved(material: Material) -> Answer:
    subject, request = material.subject, material.request
    more = f"dgpin bump --dry-run {request.ref or ''}".rstrip()
    try:
        moved, losses = _worked_out(material)
    except (UnavailableError, move.NoSuchLossError):
        raise
    except DgpinError as error:
        return _answer((_refused(error),), "; the bump would be refused", more, None)
    after = _after(subject, moved)
    rows = (
        *_lost(losses, request.accepted, moved.target.old.commit),
        *_offered(subject.resolved, subject),
        *_untold(subject),
        *after,
        *(row for row in moved.rows if row.rule in {"entry-point", "import"}),
        *_packages(moved.recipe, moved.target.new.commit),
    )
    # A loss that nobody accepted is a finding here, and none of the bump's own document.
    accepted = tuple(loss for loss in losses if loss.name in request.accepted)
    moved = replace(moved, losses=accepted)
    files = len(moved.plan.edits)
    said = f" after the bump, which writes {files} file{'s' if files != 1 else ''}"
    return _answer(rows, said, more, request.document(Step.CHECK, moved))


def _worked_out(material: Material) -> tuple[Move, tuple[Loss, ...]]:
    """Work the bump out as if every loss were accepted; what was not is a finding here.

    Raises:
        DgpinError: as `move.work_out`.
    """
    subject, request = material.subject, material.request
    old, new = subject.old or subject.new, subject.new
    sources = subject.sources
    losses = capability.losses(
        sources.facts(old.repo, old.commit), sources.facts(new.repo, new.commit)
    )
    for name in request.accepted:
        if name not in {loss.name for loss in losses}:
            raise move.NoSuchLossError(name, losses)
    moved = move.work_out(
        subject.host,
        subject.fit,
        move.Request(
            ref=request.ref,
            repo=request.repo,
            accepted=tuple(loss.name for loss in losses),
        ),
        sources=sources,
        search=stray.search_in(subject.host.root),
        gitlink=subject.link,
    )
    return moved, losses


def _after(subject: Subject, moved: Move) -> tuple[Row, ...]:
    """Return what check would say once the bump is written."""
    fit = subject.fit
    texts = dict(fit.reading.raw) | {edit.path: edit.new for edit in moved.plan.edits}
    reading = read_sites(fit.config, texts.get)
    link = (moved.target.new.commit, subject.link[1]) if subject.link else None
    return check.check(
        subject.host,
        fit._replace(reading=reading),
        read_pinned(reading, gitlink=link),
        moved.target.new,
        search=stray.search_in(subject.host.root),
    )


def _lost(losses: Sequence[Loss], accepted: Sequence[str], old: str) -> Iterator[Row]:
    refused = [loss for loss in losses if loss.name not in accepted]
    if refused:
        names = ", ".join(loss.name for loss in refused)
        yield Row(
            rule="loss",
            verdict=Verdict.FAIL,
            message=f"the new source lacks {names}",
            places=tuple(within(old, loss.place) for loss in refused if loss.place is not None),
            hint="Pin a commit that has them, or accept each by name: "
            + " ".join(f"--accept-loss {loss.name}" for loss in refused[:4]),
        )


def _offered(resolved: Resolved | None, subject: Subject) -> Iterator[Row]:
    places = subject.pinned.places("commit")
    if resolved is None:
        yield Row(
            rule="commit-offered",
            verdict=Verdict.UNKNOWN,
            message=f"the repository was not asked: {subject.known.why}",
            places=places,
            hint="Run it once with network.",
        )
    elif not resolved.is_reachable:
        yield Row(
            rule="commit-offered",
            verdict=Verdict.FAIL,
            message=f"no branch, tag or pull request of {resolved.repository} contains "
            f"{resolved.commit[:12]}",
            places=places,
            hint=UnreachableError.hint,
        )


def _untold(subject: Subject) -> Iterator[Row]:
    for what in dict.fromkeys(subject.known.untold):
        yield Row(
            rule="source",
            verdict=Verdict.UNKNOWN,
            message=f"{what} is not known without its files",
            hint="Run it once with network.",
        )


def _packages(recipe: Sequence[RecipeChange], new: str) -> Iterator[Row]:
    """Say which packages the new source needs beyond those of the old one; no finding by itself."""
    for change in recipe:
        if change.fact.startswith("packages.") and change.added:
            kind = change.fact.removeprefix("packages.")
            yield Row(
                rule="packages",
                verdict=Verdict.PASS,
                message=f"the new source also needs {', '.join(change.added)} ({kind})",
                places=tuple(within(new, place) for place in change.new_places),
            )


def _refused(error: DgpinError) -> Row:
    return Row(rule="refused", verdict=Verdict.FAIL, message=error.message, hint=error.hint)
