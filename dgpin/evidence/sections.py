"""What commands other than smoke found, each as one section of the report."""

import re
from collections.abc import Iterable, Iterator

from dgpin.evidence.loose import Loose, MalformedError
from dgpin.evidence.values import Kind, Section
from dgpin.verdict import Verdict

_COMMIT = re.compile(r"[0-9a-f]{40}")


def check(file: str, document: Loose) -> Section:
    """Return the rows of `dgpin check` that did not pass."""
    every = [(verdict_of(row["verdict"]), row) for row in document["rows"]]
    rows = [(verdict, row) for verdict, row in every if verdict is not Verdict.PASS]
    failed = [verdict for verdict, _ in rows if verdict.is_finding]
    pin = document["pin"]
    return Section(
        kind=Kind.CHECK,
        file=file,
        title="Pin sites",
        summary=f"{len(failed)} of the sites' checks failed, {len(rows) - len(failed)} are open",
        verdict=worst(verdict for verdict, _ in every),
        commit=pin["commit"].commit,
        columns=("verdict", "rule", "what", "where"),
        rows=tuple(
            (verdict.value, row["rule"].text, row["message"].text, _places(row["places"]))
            for verdict, row in rows
        ),
    )


def _places(places: Loose) -> str:
    return ", ".join(_at(place) if place["line"].count else place["path"].text for place in places)


def bump(file: str, document: Loose) -> Section:
    """Return the facts that a bump changed, and what the new source asks for beyond them."""
    new = document["new"]
    lost = [loss["name"].text for loss in document["losses"]]
    changes = [
        (change["fact"].text, change["old"].text, change["new"].text, _at(change))
        for change in document["changes"]
    ]
    findings = [(verdict_of(row["verdict"]), row) for row in document["findings"]]
    changes += [
        (f"{row['rule'].text}: {verdict.value}", "", row["message"].text, _places(row["places"]))
        for verdict, row in findings
        if verdict is not Verdict.PASS
    ]
    also = f"; lost and accepted: {', '.join(lost)}" if lost else ""
    return Section(
        kind=Kind.BUMP,
        file=file,
        title="Facts that changed",
        summary=f"{document['old']['commit'].text[:12]} to {new['commit'].text[:12]}: "
        f"{new['subject'].text}{also}",
        verdict=worst([Verdict.PASS, *(verdict for verdict, _ in findings)]),
        commit=new["commit"].commit,
        columns=("fact", "old", "new", "where"),
        rows=tuple(changes),
    )


def carried_by_bump(file: str, document: Loose) -> Section | None:
    """Return what a bump says that it loses; None where it did not compare."""
    found = document["carry"]
    if found.is_null or not found["compared"].flag:
        return None
    fixes = list(found["fixes"])
    counted = any(fix["accepted"].is_null for fix in fixes)
    return Section(
        kind=Kind.CARRY,
        file=file,
        title="Lost fixes",
        summary=found["verdict"].text,
        verdict=Verdict.FAIL if counted else Verdict.PASS,
        commit=document["new"]["commit"].commit,
        columns=("change", "what", "where it stood", "accepted"),
        rows=(
            *(
                (
                    fix["id"].text[:17],
                    fix["title"].text,
                    _at(fix["here"]),
                    fix["accepted"].maybe_text,
                )
                for fix in fixes
            ),
            *((each["kind"].text, each["name"].text, "", "") for each in found["families"]),
        ),
    )


def _at(place: Loose) -> str:
    return f"{place['path'].text}:{place['line'].count}"


def diff_api(file: str, document: Loose) -> Section:
    """Return the breaking and risky changes of the API, with their witnesses."""
    rows = []
    for change in document["changes"]:
        if change["level"].text in {"breaking", "risky"} and not change["private"].flag:
            witness = change["witness"]
            shown = "" if witness.is_null else f"{witness['code'].text}: {witness['in_b'].text}"
            rows.append(
                (
                    change["level"].text,
                    change["path"].text,
                    change["detail"].text,
                    shown,
                    change["accepted"].maybe_text,
                )
            )
    return Section(
        kind=Kind.DIFF_API,
        file=file,
        title="API changes",
        summary=f"{document['a']['label'].text} to {document['b']['label'].text}",
        verdict=worst([verdict_of(document["verdict"])]),
        commit=_commit_in(document["b"]["digest"]),
        columns=("level", "name", "change", "witness", "accepted"),
        rows=tuple(rows),
    )


def _commit_in(name: Loose) -> str:
    """Return a name that is a commit; builds and directories have others."""
    return name.text if _COMMIT.fullmatch(name.text) else ""


def call_sites(file: str, host: Loose) -> Section:
    """Return the host's uses that the API changes reach."""
    findings = list(host["findings"])
    counted = sum(each["counts"].flag and each["accepted"].is_null for each in findings)
    return Section(
        kind=Kind.DIFF_API,
        file=file,
        title="Call sites",
        summary=f"{counted} of {host['uses'].count} uses are reached",
        verdict=_of_host(host, failed=counted > 0),
        commit="",
        columns=("consequence", "where", "code", "why", "cure", "accepted"),
        rows=tuple(
            (
                each["consequence"].text,
                _at(each),
                each["source"].text,
                each["why"].text,
                each["cure"].text,
                each["accepted"].maybe_text,
            )
            for each in findings
        ),
    )


def _of_host(host: Loose, *, failed: bool) -> Verdict:
    """Return the verdict on a host's uses: as for the command, what was not read is no pass."""
    if failed:
        return Verdict.FAIL
    unread = [each for each in host["skipped"] if each["is_there"].flag]
    return Verdict.UNKNOWN if unread or list(host["untold"]) else Verdict.PASS


def lint(file: str, document: Loose) -> Section:
    """Return what is fragile at the host's boundary; only errors are findings."""
    findings = list(document["findings"])
    errors = sum(each["level"].text == "error" for each in findings)
    return Section(
        kind=Kind.LINT,
        file=file,
        title="Fragile uses",
        summary=f"{errors} errors among {len(findings)} findings",
        verdict=_of_host(document, failed=errors > 0),
        commit=_commit_in(document["api"]["digest"]),
        columns=("level", "rule", "where", "what", "cure"),
        rows=tuple(
            (
                each["level"].text,
                each["rule"].text,
                _at(each),
                each["message"].text,
                each["cure"].text,
            )
            for each in findings
        ),
    )


def verify(file: str, document: Loose) -> Section:
    """Return what each step of `dgpin verify` answered.

    A step that could not be done there is open: another machine's evidence may answer it. That of
    smoke needs the evidence of every architecture that was not proved.
    """
    steps = [(step, verdict_of(step["verdict"])) for step in document["steps"]]
    open_ = [_kind(step["step"]) for step, verdict in steps if verdict is Verdict.UNKNOWN]
    unproved = [
        each["architecture"].architecture
        for each in document["architectures"]
        if verdict_of(each["verdict"]) is Verdict.UNKNOWN
    ]
    return Section(
        kind=Kind.VERIFY,
        file=file,
        title="Steps",
        summary=f"of {document['host'].text}, {document['when'].text}",
        verdict=worst(verdict for _, verdict in steps),
        commit=document["new"]["commit"].commit,
        columns=("step", "verdict", "what", "where"),
        rows=tuple(row for step, verdict in steps for row in _step(step, verdict)),
        open=tuple(open_),
        unproved=tuple(unproved) if Kind.SMOKE in open_ else (),
    )


def _step(step: Loose, verdict: Verdict) -> Iterator[tuple[str, ...]]:
    """Yield a step's summary, what it could not tell, and findings that no evidence shows."""
    name, evidence = step["step"].text, step["evidence"]
    yield name, verdict.value, step["summary"].text, ""
    own = not evidence.is_null and evidence["schema"].text.rpartition("/")[0] == f"dgpin/{name}"
    shown = {Verdict.PASS, Verdict.FAIL} if own else {Verdict.PASS}
    for row in step["rows"]:
        if (found := verdict_of(row["verdict"])) not in shown:
            what = f"{name}: {row['rule'].text}"
            yield what, found.value, row["message"].text, _places(row["places"])


def _kind(step: Loose) -> Kind:
    try:
        return Kind(step.text)
    except ValueError:
        message = f"{step.text!r} is no step"
        raise MalformedError(message) from None


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the answer of several: a finding, else unknown unless one passed and none is open."""
    seen = set(verdicts)
    if any(verdict.is_finding for verdict in seen):
        return Verdict.FAIL
    return Verdict.PASS if Verdict.PASS in seen and Verdict.UNKNOWN not in seen else Verdict.UNKNOWN


def verdict_of(value: Loose) -> Verdict:
    """Return a verdict.

    Raises:
        MalformedError: it is none.
    """
    try:
        return Verdict(value.text)
    except ValueError:
        message = f"{value.text!r} is no verdict"
        raise MalformedError(message) from None


def carry(file: str, document: Loose) -> Section:
    """Return the lost changes that look like fixes, and the families that were dropped."""
    rows = [
        (
            loss["id"].text[:17],
            loss["title"].text,
            f"{loss['surviving'].count} of {loss['living'].count}",
            _lost(loss),
            loss["accepted"].maybe_text,
        )
        for loss in document["losses"]
        if loss["fix"].flag
    ]
    rows += [
        (family["kind"].text, family["name"].text, f"0 of {family['lines'].count}", "", "")
        for family in document["families"]
    ]
    counted = any(loss["fix"].flag and loss["accepted"].is_null for loss in document["losses"])
    return Section(
        kind=Kind.CARRY,
        file=file,
        title="Lost fixes",
        summary=f"{document['old'].text} to {document['new'].text}",
        verdict=Verdict.FAIL if counted or document["fixes"].count else Verdict.PASS,
        commit=document["new_commit"].commit,
        columns=("change", "what", "lines that survive", "lost line", "accepted"),
        rows=tuple(rows),
    )


def _lost(loss: Loose) -> str:
    lines = list(loss["lines"])
    first = next((line for line in lines if line["telling"].flag), lines[0] if lines else None)
    if first is None:
        return ""
    there = "" if first["there"].is_null else f" ({_at(first['there'])})"
    return f"{first['text'].text}{there}"


def build(file: str, document: Loose) -> Section:
    """Return what was compiled, and for what; after a preflight alone, nothing was."""
    source = document["source"]
    builds = [(verdict_of(each["verdict"]), each) for each in document["builds"]]
    changed = not source.is_null and source["dirty"].flag
    label = "" if source.is_null else source["label"].text
    return Section(
        kind=Kind.BUILD,
        file=file,
        title="Builds",
        summary=f"{label}, with changes" if changed else label,
        verdict=worst(verdict for verdict, _ in builds),
        # With changes it is no commit's build.
        commit="" if source.is_null or changed else source["commit"].commit,
        columns=("verdict", "what", "package"),
        rows=tuple(
            (verdict.value, each["message"].text, each["package"].maybe_text)
            for verdict, each in builds
        ),
        open=() if builds else (Kind.BUILD,),
    )
