"""Reading evidence files: a smoke run, a section, or a refusal."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from dgpin.evidence import sections
from dgpin.evidence.loose import Loose, MalformedError
from dgpin.evidence.values import Attached, Kind, Measured, Refused, Section, SmokeRun
from dgpin.verdict import Verdict

VERSION = 1  # of every schema that this dgpin reads
LARGEST = 64 * 2**20  # bytes; a run's evidence has about a hundred thousand

_SCHEMAS = {f"dgpin/{kind.value}/{VERSION}": kind for kind in Kind}
Found = SmokeRun | Section


class UnknownSchemaError(ValueError):
    """A document of a form that this dgpin does not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What one file says, and its text."""

    found: tuple[Found, ...]
    attached: Attached


def read(path: Path) -> Read | Refused:
    """Return what an evidence file says, or why it cannot be used. No file raises."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            return Refused(file=str(path), reason="is too large to be evidence")
        text = data.decode()
        found = tuple(_parts(str(path), Loose(json.loads(text))))
    except OSError as error:
        return Refused(file=str(path), reason=f"cannot be read: {error.strerror}")
    except UnknownSchemaError as error:
        return Refused(file=str(path), reason=str(error))
    except MalformedError as error:
        return Refused(file=str(path), reason=f"is damaged: {error}")
    except (ValueError, RecursionError):
        return Refused(file=str(path), reason="is damaged: it is not JSON")
    return Read(found=found, attached=Attached(file=str(path), text=text))


def _parts(file: str, document: Loose) -> Iterator[Found]:
    """Yield a document's parts, its own first; the evidence of verify holds those of its steps."""
    kind = _kind(document)
    yield from _own(file, document, kind)
    if kind is Kind.VERIFY:
        commit = document["new"]["commit"].commit
        steps = [step for step in document["steps"] if not step["evidence"].is_null]
        if len(steps) > len(Kind):
            raise MalformedError("there are more steps than verify has")
        for step in steps:
            yield from _of_step(file, step, commit)


def _of_step(file: str, step: Loose, commit: str) -> Iterator[Found]:
    """Yield what a step of verify left; its evidence is no answer where verify had none."""
    inner = _kind(step["evidence"])
    if inner is Kind.VERIFY:
        raise MalformedError("verify is no step of itself")
    told = sections.verdict_of(step["verdict"]) is not Verdict.UNKNOWN
    for part in _own(f"{file} ({step['step'].text})", step["evidence"], inner):
        # What a step does not say itself is said by the whole that it is a part of.
        whole = replace(part, commit=part.commit or commit)
        yield replace(whole, is_answer=told) if isinstance(whole, Section) else whole


def _kind(document: Loose) -> Kind:
    if "schema" not in document:
        raise UnknownSchemaError("is no evidence: it names no schema")
    schema = document["schema"].text
    if schema not in _SCHEMAS:
        raise UnknownSchemaError(_unknown(schema))
    return _SCHEMAS[schema]


def _unknown(schema: str) -> str:
    """Say of a schema that is none of these whether a newer dgpin may read it."""
    name, _, version = schema.rpartition("/")
    is_newer = re.fullmatch(r"[0-9]{1,9}", version) is not None and int(version) > VERSION
    if is_newer and f"{name}/{VERSION}" in _SCHEMAS:
        return f"has the schema {schema!r}, which this dgpin does not know: take a newer one"
    known = ", ".join(kind.value for kind in Kind)
    return f"has the schema {schema!r}, which is none of those of evidence: {known}"


def _own(file: str, document: Loose, kind: Kind) -> Iterator[Found]:
    yield _READERS[kind](file, document)
    if kind is Kind.DIFF_API and "host" in document:
        yield sections.call_sites(file, document["host"])
    if kind is Kind.BUMP and (lost := sections.carried_by_bump(file, document)) is not None:
        yield lost


def _smoke(file: str, document: Loose) -> SmokeRun:
    run, build, toolchain = document["run"], document["build"], document["toolchain"]
    loaded = None if run.is_null or run["loaded"].is_null else run["loaded"]
    device = document["gpu"]
    trouble = None if run.is_null or run["trouble"].is_null else run["trouble"]
    checks = () if run.is_null else tuple(_measured(check) for check in run["checks"])
    if loaded is None and any(check.verdict is Verdict.PASS for check in checks):
        raise MalformedError("a check passed, and run.loaded is null")
    facts = [row for row in document["facts"] if sections.verdict_of(row["verdict"]).is_finding]
    # What ran tells the architecture; what was asked for is only a wish.
    architecture = (loaded or document)["architecture"].architecture
    return SmokeRun(
        file=file,
        when=document["when"].moment,
        architecture=architecture,
        version=loaded["version"].text if loaded is not None else "",
        label=build["label"].text,
        commit=build["commit"].commit if "commit" in build else "",
        headers=build["headers_sha256"].digest,
        digest=build["sha256"].digest,
        fingerprint=build["fingerprint"].maybe_text,
        gpu="" if device.is_null else device["name"].text,
        driver="" if device.is_null else device["driver"].text,
        torch=toolchain["torch"].text,
        python=toolchain["python"].text,
        nvcc=toolchain["nvcc"].maybe_text,
        checks=checks,
        proven=architecture in document["proven"].texts,
        findings=(
            *(f"{row['rule'].text}: {row['message'].text}" for row in facts),
            *([f"{trouble['where'].text}: {trouble['what'].text}"] if trouble else []),
        ),
        blocked=document["blocked"].text,
    )


def _measured(check: Loose) -> Measured:
    explanation = check["explanation"]
    return Measured(
        check=check["id"].text,
        verdict=sections.verdict_of(check["verdict"]),
        message=check["message"].text,
        number=check["number"].maybe_number,
        limit=check["limit"].amount,
        warm_ms=tuple(sorted(each.amount for each in check["warm_ms"])),
        cause="" if explanation.is_null else explanation["what"].text,
        cure="" if explanation.is_null else explanation["cure"].text,
    )


_READERS: Mapping[Kind, Callable[[str, Loose], Found]] = {
    Kind.SMOKE: _smoke,
    Kind.CHECK: sections.check,
    Kind.BUMP: sections.bump,
    Kind.DIFF_API: sections.diff_api,
    Kind.CARRY: sections.carry,
    Kind.BUILD: sections.build,
    Kind.LINT: sections.lint,
    Kind.VERIFY: sections.verify,
}
