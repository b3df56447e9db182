"""Which uses of a host break, or change their meaning, when it moves from A to B."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from dgpin.api import bind, bind_cure, bind_meaning, bind_words
from dgpin.api.bind import Bound, Refused, Untold
from dgpin.api.bind_lookup import (
    Asked,
    Missing,
    There,
    Unclear,
    first,
    for_version,
    passed,
    shows,
)
from dgpin.api.change import Comparison
from dgpin.api.surface import Binding, Surface
from dgpin.api.uses import Form, Handler, Scan, Then, Use


class Consequence(str, Enum):
    """What a use meets after the move, most severe first."""

    IMPORT_RAISES = "raises at import"
    CALL_RAISES = "raises at the call"
    SILENT_NONE = "silently off"
    SILENT_OLDER = "silently the older name"
    SILENT_VALUE = "silently another value"
    CAUGHT = "raises and is caught"
    LATENT = "broken already"

    @property
    def counts(self) -> bool:
        """Whether it is held against the move."""
        return self not in {Consequence.CAUGHT, Consequence.LATENT}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One use that the move breaks: what happens, why, and the edit that cures it.

    `exception` is what is raised, "" where nothing is; `caught_by` the handler that takes it;
    `escapes` a handler around it that does not.
    """

    consequence: Consequence
    use: Use
    path: str
    why: str
    exception: str = ""
    parameter: str = ""
    cure: str = ""
    caught_by: Handler | None = None
    escapes: Handler | None = None

    @property
    def fingerprint(self) -> str:
        """The same for the same finding in every run, and after lines above have moved."""
        words = (self.consequence.value, self.use.place.path, self.use.function, self.path)
        text = "\0".join((*words, self.parameter, self.use.line))
        return hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """A use that could not be judged, and why."""

    use: Use
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """What a move does to a host: findings, most severe first, and what could not be told.

    `accepted` maps fingerprints to the reason for which the host lives with a finding.
    """

    scan: Scan
    findings: tuple[Finding, ...]
    doubts: tuple[Doubt, ...] = ()
    accepted: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_incomplete(self) -> bool:
        """Whether a use could not be judged, or a file not be read."""
        return bool(self.doubts or self.scan.unread)

    @property
    def breaks(self) -> tuple[Finding, ...]:
        """The findings that count against the move and that nobody has accepted."""
        return tuple(
            f for f in self.findings if f.consequence.counts and f.fingerprint not in self.accepted
        )


def impact(scan: Scan, comparison: Comparison) -> Impact:
    """Hold every use against A and against B; what A takes and B does not is a finding."""
    judge = _Judge(scan, comparison)
    found: dict[tuple[object, ...], Finding] = {}
    for use in scan.uses:
        for finding in judge.use(use):
            where = finding.use.place
            key = (finding.consequence, where, finding.path, finding.parameter, finding.why)
            found.setdefault(key, finding)
    order = {consequence: i for i, consequence in enumerate(Consequence)}
    findings = sorted(
        judge.without_echoes(list(found.values())),
        key=lambda f: (order[f.consequence], f.use.in_test, f.use.place, f.path),
    )
    return Impact(scan=scan, findings=tuple(findings), doubts=tuple(judge.doubts))


class _Judge:
    def __init__(self, scan: Scan, comparison: Comparison) -> None:
        self.a: Surface = comparison.a
        self.b: Surface = comparison.b
        self.cure = bind_cure.Cures(comparison)
        self.doubts: list[Doubt] = []
        self.asked = Asked(scan)

    def use(self, use: Use) -> Iterator[Finding]:
        """Yield what happens to one use."""
        if (
            not use.targets
            or use.is_fallback
            or not self.asked.is_reached(self.b, use, other=self.a)
        ):
            return
        asks = for_version(use)
        found = list(self._of(use))
        if asks is not None and found:
            reason = f"whether it is reached depends on the version, asked for at {asks.place}"
            self.doubts.append(Doubt(use=use, reason=reason))
            return
        yield from found

    def _of(self, use: Use) -> Iterator[Finding]:
        match use.form:
            case Form.CALL:
                yield from self._call(use)
            case Form.PARAMETER:
                yield from self._parameter(use)
            case Form.FAKE | Form.DYNAMIC | Form.KEYWORD:
                return
            case _:
                yield from self._name(use)

    # Names ------------------------------------------------------------------------------------

    def _name(self, use: Use) -> Iterator[Finding]:
        if use.form is Form.PATCH and use.targets[-1].optional:
            return  # it is put there, whether there is one or not
        before, after = first(self.a, use.targets), first(self.b, use.targets)
        if self._doubtful(use, before, after):
            return
        if isinstance(before, Missing) and isinstance(after, Missing):
            yield from self._latent_name(use, after)
        elif isinstance(before, There) and isinstance(after, Missing):
            yield from self._gone(use, before, after)
        elif isinstance(before, There) and isinstance(after, There):
            yield from self._older(use, before, after)

    def _doubtful(self, use: Use, *found: object) -> bool:
        unclear = [f for f in found if isinstance(f, Unclear)]
        for item in unclear:
            if item.reason:
                self.doubts.append(Doubt(use=use, reason=f"{item.path}: {item.reason}"))
        return bool(unclear)

    def _gone(self, use: Use, before: There, after: Missing) -> Iterator[Finding]:
        path = before.target.path
        if bind_words.is_silent(use):
            yield self._silent(use, path, bind_words.off(use, path))
            return
        if use.form in {Form.HASATTR, Form.GETATTR} and use.absent is not None:
            yield self._raises(use, path, use.absent.exception, bind_words.said(path, use.absent))
            return
        if self._is_guarded(use, path):
            return
        exception = bind_words.exception(use, after)
        why = f"B has no {path}"
        catcher = bind_words.catcher(use, exception)
        imports = use.form in {Form.IMPORT, Form.DYNAMIC_IMPORT}
        if imports and catcher is not None and catcher.outcome.then is not Then.RAISES:
            yield self._silent(use, path, f"{why}; {bind_words.caught_words(catcher)}")
        else:
            yield self._raises(use, path, exception, why)

    def _silent(self, use: Use, path: str, why: str) -> Finding:
        return Finding(
            consequence=Consequence.SILENT_NONE,
            use=use,
            path=path,
            why=why,
            cure=self.cure.name(use, path),
        )

    def _latent_name(self, use: Use, after: Missing) -> Iterator[Finding]:
        path = use.path
        if bind_words.is_silent(use) or self._is_guarded(use, path) or use.form is Form.PATCH:
            return
        exception = bind_words.exception(use, after)
        if use.form is not Form.CALL and use.absent is not None:
            exception = use.absent.exception
        if bind_words.catcher(use, exception) is None:
            yield Finding(
                consequence=Consequence.LATENT,
                use=use,
                path=path,
                why=f"neither A nor B has {path}",
                exception=exception,
                cure=self.cure.name(use, path),
            )

    def _older(self, use: Use, before: There, after: There) -> Iterator[Finding]:
        paths = [t.path for t in use.targets]
        old, new = paths.index(before.target.path), paths.index(after.target.path)
        if new > old:
            yield Finding(
                consequence=Consequence.SILENT_OLDER,
                use=use,
                path=paths[old],
                why=f"B has no {paths[old]}, so {paths[new]} is used",
                cure=self.cure.name(use, paths[old]),
            )

    def _is_guarded(self, use: Use, path: str, parameter: str = "") -> bool:
        return self.asked.before(use, path, parameter)

    def _raises(self, use: Use, path: str, exception: str, why: str) -> Finding:
        """Return what raises, unless a handler takes it."""
        catcher = bind_words.catcher(use, exception)
        caught = catcher is not None and catcher.outcome.then is not Then.RAISES
        at_import = use.runs_at_import
        raises = Consequence.IMPORT_RAISES if at_import else Consequence.CALL_RAISES
        escapes = next((h for h in use.handlers if not bind_words.catches(h, exception)), None)
        return Finding(
            consequence=Consequence.CAUGHT if caught else raises,
            use=use,
            path=path,
            why=why,
            exception=exception,
            cure=self.cure.name(use, path),
            caught_by=catcher if caught else None,
            escapes=None if caught else escapes,
        )

    # Parameters and calls ---------------------------------------------------------------------

    def _parameter(self, use: Use) -> Iterator[Finding]:
        before, after = (self._has_parameter(s, use) for s in (self.a, self.b))
        if before and after is False:
            path = use.path
            why = f"in B, {path.rpartition('.')[2]} shows no `{use.parameter}`"
            symbol = self.b.by_path.get(path)
            if symbol is not None and symbol.binding is not Binding.PYTHON:
                why += f": inspect.signature cannot read {symbol.binding.value}"
            yield Finding(
                consequence=Consequence.SILENT_NONE,
                use=use,
                path=path,
                parameter=use.parameter,
                why=f"{why}; what it guards is off",
                cure=self.cure.call(path, use.parameter),
            )

    def _has_parameter(self, surface: Surface, use: Use) -> bool | None:
        found = first(surface, use.targets)
        return shows(found.symbol, use.parameter) if isinstance(found, There) else None

    def _call(self, use: Use) -> Iterator[Finding]:
        before, after = first(self.a, use.targets), first(self.b, use.targets)
        if self._doubtful(use, before, after):
            return
        if isinstance(after, Missing):
            yield from self._call_of_nothing(use, before, after)
        elif isinstance(after, There) and not self.asked.is_reached(self.a, use):
            yield from self._newly_reached(use, after)
        elif isinstance(before, There) and isinstance(after, There):
            yield from self._bound(use, before, after)

    def _newly_reached(self, use: Use, after: There) -> Iterator[Finding]:
        """The host has a way for builds such as B; A never went there."""
        if after.symbol is None or use.arguments is None:
            return
        answer = bind.call(after.symbol, passed(self.b, use.arguments))
        if isinstance(answer, Refused):
            path = after.target.path
            why = f"{bind_words.refused_words(path, answer)}; A did not get here"
            finding = self._raises(use, path, answer.exception, why)
            named = [name for name, _ in answer.reasons if name]
            cures = [self.cure.call(path, name) for name in named or [""]]
            yield replace(finding, parameter=", ".join(named), cure=" ".join(cures))

    def _call_of_nothing(self, use: Use, before: object, after: Missing) -> Iterator[Finding]:
        """The name that is called is gone: here, or where the host got it."""
        target = use.targets[-1]
        if target.place == use.place and not target.optional:
            if isinstance(before, There):
                yield from self._gone(use, before, after)
            else:
                yield from self._latent_name(use, after)
            return
        if not target.optional or not isinstance(before, There) or use.via is not None:
            return
        path = before.target.path
        outcome = use.absent
        cure = f"Cure it where the name is got, at {before.target.place}."
        if outcome is None:
            if not self._is_guarded(use, path):
                why = f"B has no {path}, so None is called"
                yield replace(self._raises(use, path, "TypeError", why), cure=cure)
        elif outcome.then is Then.RAISES:
            finding = self._raises(use, path, outcome.exception, bind_words.said(path, outcome))
            yield replace(finding, cure=cure)

    def _bound(self, use: Use, before: There, after: There) -> Iterator[Finding]:
        if before.symbol is None or after.symbol is None or use.arguments is None:
            return
        path = after.target.path
        a = bind.call(before.symbol, passed(self.a, use.arguments))
        b = bind.call(after.symbol, passed(self.b, use.arguments))
        untold = next((x for x in (a, b) if isinstance(x, Untold)), None)
        if untold is not None:
            self.doubts.append(Doubt(use=use, reason=untold.reason))
        elif isinstance(b, Refused) and isinstance(a, Refused):
            yield from self._latent_call(use, path, a, b)
        elif isinstance(b, Refused) and isinstance(a, Bound):
            yield from self._refused(use, path, a, b)
        elif isinstance(a, Bound) and isinstance(b, Bound):
            yield from self._otherwise(use, path, (a, b), after.symbol.binding)

    def _otherwise(
        self, use: Use, path: str, bound: tuple[Bound, Bound], binding: Binding
    ) -> Iterator[Finding]:
        """Yield what a call means now that it did not mean before."""
        for parameter, why in bind_meaning.differences(*bound, binding):
            if self._is_guarded(use, path, parameter):
                continue
            cure = self.cure.meaning(use, *bound, parameter)
            if why.refused:
                finding = self._raises(use, path, bind.RAISED[binding], why.text)
                yield replace(finding, parameter=parameter, cure=cure)
                continue
            yield Finding(
                consequence=Consequence.SILENT_VALUE,
                use=use,
                path=path,
                parameter=parameter,
                why=why.text,
                cure=cure,
            )

    def _refused(self, use: Use, path: str, a: Bound, b: Refused) -> Iterator[Finding]:
        named = [name for name, _ in b.reasons if name]
        if named and all(self._is_guarded(use, path, name) for name in named):
            return
        finding = self._raises(use, path, b.exception, bind_words.refused_words(path, b))
        dropped = [p.name for p in a.places if p.name not in self._parameters(path)]
        cure = self.cure.refused(path, a, named or dropped[:1] or [""])
        if finding.caught_by is not None:
            cure = f"{cure} Until then the handler runs every time."
        yield replace(finding, parameter=", ".join(named or dropped[:1]), cure=cure)

    def _parameters(self, path: str) -> set[str]:
        symbol = self.b.by_path.get(path)
        return {p.name for s in symbol.signatures for p in s.parameters} if symbol else set()

    def _latent_call(self, use: Use, path: str, a: Refused, b: Refused) -> Iterator[Finding]:
        named = [name for name, _ in a.reasons if name]
        if named and all(self._is_guarded(use, path, name) for name in named):
            return
        caught = bind_words.catcher(use, a.exception)
        if caught is not None and bind_words.catcher(use, b.exception) is None:
            # What took it in A lets by what the binding of B raises.
            why = bind_words.refused_words(path, b)
            finding = self._raises(use, path, b.exception, f"{why}, and raises {b.exception} now")
            named = [name for name, _ in b.reasons if name]
            cures = [self.cure.call(path, name) for name in named or [""]]
            yield replace(finding, parameter=", ".join(named), cure=" ".join(cures))
        elif caught is None and not use.is_one_of:
            yield Finding(
                consequence=Consequence.LATENT,
                use=use,
                path=path,
                parameter=b.parameter,
                why=f"{path.rpartition('.')[2]}: {b.why}, in A as in B",
                exception=b.exception,
                cure=self.cure.call(path, b.parameter),
            )

    def without_echoes(self, findings: list[Finding]) -> list[Finding]:
        """Drop what a wrapper's callers only repeat of the call inside of it."""
        inner = {
            (f.use.place, f.path, f.parameter, f.consequence) for f in findings if not f.use.via
        }
        return [
            f
            for f in findings
            if f.use.via is None or (f.use.via, f.path, f.parameter, f.consequence) not in inner
        ]
