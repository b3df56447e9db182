"""Reading evidence files: a smoke run, a section, or a refusal."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from dgpin.evidence import sections
from dgpin.evidence.loose import Loose, MalformedError
from dgpin.evidence.values import Attached, Kind, Measured, Refused, Section, SmokeRun

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
        if path.stat().st_size > LARGEST:
            return Refused(file=str(path), reason="is too large to be evidence")
        text = path.read_text("utf-8")
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
    """Yield a document's parts; the evidence of verify holds those of its steps."""
    schema = document["schema"].text
    kind = _SCHEMAS.get(schema)
    if kind is None:
        message = f"has the schema {schema!r}, which this dgpin does not know"
        raise UnknownSchemaError(message)
    yield _READERS[kind](file, document)
    if kind is Kind.VERIFY:
        for step in document["steps"]:
            if not step["evidence"].is_null:
                yield from _parts(f"{file} ({step['step'].text})", step["evidence"])
    elif kind is Kind.DIFF_API and "host" in document:
        yield sections.call_sites(file, document["host"])


def _smoke(file: str, document: Loose) -> SmokeRun:
    run, build, toolchain = document["run"], document["build"], document["toolchain"]
    loaded = None if run.is_null or run["loaded"].is_null else run["loaded"]
    device = document["gpu"]
    trouble = None if run.is_null or run["trouble"].is_null else run["trouble"]
    facts = [row for row in document["facts"] if sections.verdict_of(row["verdict"]).is_finding]
    return SmokeRun(
        file=file,
        when=document["when"].text,
        # What ran tells the architecture; what was asked for is only a wish.
        architecture=(loaded or document)["architecture"].text,
        version=loaded["version"].text if loaded is not None else "",
        label=build["label"].text,
        headers=build["headers_sha256"].text,
        digest=build["sha256"].text,
        fingerprint=build["fingerprint"].maybe_text,
        gpu="" if device.is_null else device["name"].text,
        driver="" if device.is_null else device["driver"].text,
        torch=toolchain["torch"].text,
        python=toolchain["python"].text,
        nvcc=toolchain["nvcc"].maybe_text,
        checks=() if run.is_null else tuple(_measured(check) for check in run["checks"]),
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
        limit=check["limit"].number,
        warm_ms=tuple(sorted(each.number for each in check["warm_ms"])),
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
