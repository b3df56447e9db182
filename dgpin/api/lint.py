"""What is fragile in a host against the API that it pins today."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from dgpin.api import bind, spelling
from dgpin.api.bind import Bound, Refused, Untold
from dgpin.api.bind_lookup import (
    Asked,
    Found,
    Missing,
    There,
    Unclear,
    first,
    for_version,
    passed,
    shows,
)
from dgpin.api.change import Level
from dgpin.api.lint_rules import BY_ID
from dgpin.api.signature import Parameter, Signature
from dgpin.api.surface import Binding, Surface
from dgpin.api.uses import Argument, Form, Handler, Remark, Scan, Target, Then, Use
from dgpin.verdict import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One rule at one place; `cure` is "" where the rule's own says all."""

    rule: str
    place: Place
    end_line: int
    line: str
    message: str
    cure: str = ""
    in_test: bool = False

    @property
    def is_error(self) -> bool:
        """Whether it decides; a note does not."""
        return BY_ID[self.rule].level is Level.BREAKING

    @property
    def fingerprint(self) -> str:
        """The same for the same finding in every run, and after lines above have moved."""
        text = f"{self.rule}\0{self.place.path}\0{self.line}\0{self.message}"
        return hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lint:
    """The answer: findings and notes by place, and what could not be told."""

    scan: Scan
    surface: Surface
    findings: tuple[Finding, ...]
    ignored: int = 0
    doubts: tuple[str, ...] = ()

    @property
    def is_incomplete(self) -> bool:
        """Whether something that was asked for could not be told."""
        return bool(self.doubts or self.scan.unread)

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that decide."""
        return tuple(f for f in self.findings if f.is_error)

    @property
    def notes(self) -> tuple[Finding, ...]:
        """The findings that do not."""
        return tuple(f for f in self.findings if not f.is_error)


def lint(scan: Scan, surface: Surface) -> Lint:
    """Run every rule over every use, and take out what comments say to leave alone."""
    against = _Against(scan, surface)
    found: dict[tuple[str, Place, str], Finding] = {}
    for use in scan.uses:
        if for_version(use) is not None or not against.asked.is_reached(surface, use):
            continue  # for other builds
        for rule in _RULES:
            for finding in rule(against, use):
                found.setdefault((finding.rule, finding.place, finding.message), finding)
    kept, about = _ignored(list(found.values()), scan.remarks)
    findings = sorted([*kept, *about], key=lambda f: (not f.is_error, f.in_test, f.place, f.rule))
    return Lint(
        scan=scan,
        surface=surface,
        findings=tuple(findings),
        ignored=len(found) - len(kept),
        doubts=tuple(dict.fromkeys(against.doubts)),
    )


class _Against:
    """A surface, and what is known of the host's questions about it."""

    def __init__(self, scan: Scan, surface: Surface) -> None:
        self.surface = surface
        self.doubts: list[str] = []
        self.asked = Asked(scan)
        self.zeroes = {
            p.name
            for symbol in surface.symbols
            for s in symbol.signatures
            for p in s.parameters
            if zero_is_a_value(p)
        }

    def find(self, targets: tuple[Target, ...]) -> Found:
        """Return the first target that is there."""
        found = first(self.surface, targets)
        if isinstance(found, Unclear) and found.reason:
            self.doubts.append(f"{found.path}: {found.reason}")
        return found

    def is_guarded(self, use: Use, path: str, parameter: str = "") -> bool:
        """Whether the host asks before it uses it."""
        return self.asked.before(use, path, parameter)

    def answer(self, use: Use) -> tuple[There, bind.Answer] | None:
        """Return what a call finds and how it binds; None when there is nothing to bind."""
        found = self.find(use.targets)
        if not isinstance(found, There) or found.symbol is None or use.arguments is None:
            return None
        answer = bind.call(found.symbol, passed(self.surface, use.arguments))
        if isinstance(answer, Untold):
            self.doubts.append(answer.reason)
        return found, answer


def zero_is_a_value(parameter: Parameter) -> bool:
    """Whether 0, 0.0 or False means something of its own to a parameter."""
    options = spelling.alternatives(spelling.type_of(parameter.type.removesuffix("?")))
    if options & {"float", "bool"}:
        return True
    # Few ints can be 0; those whose default is 0 can.
    return parameter.default in {"0", "0.0", "False", "1.0", "True"}


def _at(
    rule: str, use: Use, message: str, *, cure: str = "", place: Place | None = None
) -> Finding:
    place = place or use.place
    inside = place.path == use.place.path and use.place.line <= place.line <= use.end_line
    return Finding(
        rule=rule,
        place=place,
        end_line=use.end_line if inside else place.line,
        line=use.line,
        message=message,
        cure=cure,
        in_test=use.in_test,
    )


_REACHING = frozenset({Form.READ, Form.IMPORT, Form.DYNAMIC_IMPORT, Form.GETATTR})


# The rules ------------------------------------------------------------------------------------


def _optional_names(against: _Against, use: Use) -> Iterator[Finding]:
    if use.form is not Form.GETATTR or use.is_fallback or not use.targets[-1].optional:
        return
    found = against.find(use.targets)
    name = _last(use.path)
    if isinstance(found, Missing):
        names = " nor ".join(_last(t.path) for t in use.targets)
        then = _then(use)
        yield _at("silent-none", use, f"the pinned API has no {names}: the default is taken{then}")
    elif isinstance(found, There) and len(use.targets) == 1:
        then = _then(use)
        yield _at("optional-name", use, f"{name} is there; without it the default is taken{then}")


def _then(use: Use) -> str:
    quiet = [c for c in use.consumers if c.outcome.then is not Then.RAISES]
    loud = [c for c in use.consumers if c.outcome.then is Then.RAISES]
    words = [f"the host raises {use.absent.exception}"] if use.absent is not None else []
    words += [f"{c.function or 'the module'} ({c.place}) goes on without it" for c in quiet]
    words += [
        f"{c.function or 'the module'} ({c.place}) raises {c.outcome.exception}" for c in loud
    ]
    return "".join(f"; {word}" for word in dict.fromkeys(words))


def _dead_probes(against: _Against, use: Use) -> Iterator[Finding]:
    if use.form in {Form.HASATTR, Form.FIND_SPEC}:
        found = against.find(use.targets)
        if isinstance(found, Missing):
            yield _at("dead-probe", use, f"the pinned API has no {use.path}: the answer is no")
    elif use.form is Form.PARAMETER:
        found = against.find(use.targets)
        symbol = found.symbol if isinstance(found, There) else None
        if symbol is not None and shows(symbol, use.parameter) is False:
            why = f"has no `{use.parameter}`"
            if symbol.binding is not Binding.PYTHON:
                why = f"inspect.signature cannot read {symbol.binding.value}"
            yield _at("dead-probe", use, f"{_last(use.path)}: {why}, so the answer is no")
    elif use.form is Form.IMPORT and not use.is_fallback and len(use.targets) == 1:
        found = against.find(use.targets[:1])
        if isinstance(found, Missing) and _caught(use, "ImportError") is not None:
            yield _at(
                "dead-probe", use, f"the pinned API has no {use.path}: the import never works"
            )


def _dead_fallbacks(against: _Against, use: Use) -> Iterator[Finding]:
    if use.form in {Form.GETATTR, Form.IMPORT} and len(use.targets) > 1 and not use.is_fallback:
        found = against.find(use.targets[:1])
        rest = ", ".join(_last(t.path) for t in use.targets[1:])
        if isinstance(found, There):
            yield _at("dead-fallback", use, f"{_last(use.path)} is there, so {rest} is never used")
        elif isinstance(found, Missing) and isinstance(against.find(use.targets), There):
            yield _at(
                "dead-fallback", use, f"the pinned API has no {_last(use.path)}: {rest} is used"
            )
    elif use.form is Form.CALL:
        bound = against.answer(use)
        if bound is None or not isinstance(bound[1], Refused):
            return
        handler = _caught(use, bound[1].exception)
        if handler is not None:
            why = (
                f"{_last(use.path)}: {bound[1].why}, so the handler at {handler.place} always runs"
            )
            yield _at("dead-fallback", use, why)


def _wrong_handlers(against: _Against, use: Use) -> Iterator[Finding]:
    if use.form is not Form.CALL or not use.handlers:
        return
    found = against.find(use.targets)
    if not isinstance(found, There) or found.symbol is None:
        return
    raised = bind.RAISED[found.symbol.binding]
    if raised == "TypeError" or _caught(use, raised) is not None:
        return
    for handler in use.handlers:
        if "TypeError" in handler.exceptions:
            why = f"a bad call of {_last(use.path)} raises {raised}; `except TypeError` lets it by"
            yield _at("wrong-except", use, why, place=handler.place)


def _risky_places(against: _Against, use: Use) -> Iterator[Finding]:
    if use.form is not Form.CALL or use.via is not None:
        return
    bound = against.answer(use)
    if bound is not None and isinstance(bound[1], Bound):
        names = [p.name for p in bound[1].places if not p.is_required]
        if names:
            listed = ", ".join(f"`{name}`" for name in names)
            yield _at("positional-risk", use, f"{_last(use.path)} gets {listed} by place")


def _drifted_doubles(against: _Against, use: Use) -> Iterator[Finding]:
    if use.form in {Form.FAKE, Form.PATCH} and use.targets:
        found = against.find(use.targets[:1])
        if isinstance(found, Missing):
            yield _at("fake-drift", use, f"the pinned API has no {_last(use.path)}")


def _broken(against: _Against, use: Use) -> Iterator[Finding]:
    if use.form is Form.CALL:
        bound = against.answer(use)
        if bound is None or not isinstance(bound[1], Refused):
            if bound is None:
                yield from _broken_name(against, use)
            return
        answer = bound[1]
        named = [name for name, _ in answer.reasons if name]
        if named and all(against.is_guarded(use, use.path, name) for name in named):
            return
        if _caught(use, answer.exception) is None and not use.is_one_of:
            callers = "" if use.callers or use.runs_at_import else "; no caller was found"
            why = f"{_last(use.path)}: {answer.why} ({answer.exception}){callers}"
            yield _at("broken-call", use, why, cure=_takes(bound[0]))
    elif use.form in _REACHING and not (use.form is Form.GETATTR and use.targets[-1].optional):
        yield from _broken_name(against, use)


def _broken_name(against: _Against, use: Use) -> Iterator[Finding]:
    if use.is_fallback or not use.targets:
        return
    target = use.targets[-1]
    here = use.form is not Form.CALL or (target.place == use.place and not target.optional)
    found = against.find(use.targets)
    if not here or not isinstance(found, Missing) or against.is_guarded(use, use.path):
        return
    imports = use.form in {Form.IMPORT, Form.DYNAMIC_IMPORT}
    exception = "ImportError" if imports else "AttributeError"
    if _caught(use, exception) is None:
        why = f"the pinned API has no {use.path} ({exception})"
        yield _at("broken-call", use, why, cure=_instead(against.surface, use.path))


def _takes(found: There) -> str:
    """Return how the pinned API is to be called."""
    signatures = found.symbol.signatures if found.symbol is not None else ()
    bare = (
        Signature(parameters=tuple(replace(p, type="") for p in signature.parameters))
        for signature in signatures
    )
    return f"It takes {' or '.join(map(str, bare))}."


def _instead(surface: Surface, path: str) -> str:
    """Return the name of the same words, whose order changed, or what else can be done."""
    owner, _, name = path.rpartition(".")
    words = sorted(name.split("_"))
    near = [
        other
        for other in surface.by_path
        if other.rpartition(".")[0] == owner and sorted(_last(other).split("_")) == words
    ]
    if near:
        return f"Is {_last(near[0])} meant?"
    return "Drop the use, or pin a source that has it."


def _falsy_defaults(against: _Against, use: Use) -> Iterator[Finding]:
    if use.form is Form.KEYWORD and use.arguments is not None:
        argument = use.arguments.keywords[0].argument
        if use.parameter in against.zeroes:
            yield _falsy(use, use.parameter, argument)
    elif use.form is Form.CALL:
        bound = against.answer(use)
        if bound is None or not isinstance(bound[1], Bound):
            return
        answer = bound[1]
        for parameter in answer.signature.parameters:
            given = answer.arguments.get(parameter.name)
            if given is not None and given.instead and zero_is_a_value(parameter):
                yield _falsy(use, parameter.name, given)


def _falsy(use: Use, name: str, given: Argument) -> Finding:
    value = given.instead_of
    is_plain = value.replace(".", "").replace("_", "").isalnum()
    cure = f"Write `{given.instead} if {value} is None else {value}`."
    finding = _at(
        "falsy-default",
        use,
        f"`{name}` gets {given.instead} when {value} is 0 or False",
        cure=cure if is_plain else "Ask for None, not for what is true.",
        place=given.instead_at,
    )
    return replace(finding, line=f"{name}={given.text}")


_RULES: tuple[Callable[[_Against, Use], Iterator[Finding]], ...] = (
    _optional_names,
    _dead_probes,
    _dead_fallbacks,
    _wrong_handlers,
    _risky_places,
    _drifted_doubles,
    _broken,
    _falsy_defaults,
)


def _caught(use: Use, exception: str) -> Handler | None:
    parents = {"ImportError", "ModuleNotFoundError"} if "Import" in exception else {exception}
    wanted = parents | {"Exception", "BaseException"}
    found = next((h for h in use.handlers if wanted & set(h.exceptions)), None)
    return found if found is not None and found.outcome.then is not Then.RAISES else None


def _last(path: str) -> str:
    return path.rpartition(".")[2]


# Comments -------------------------------------------------------------------------------------


def _ignored(
    findings: list[Finding], remarks: tuple[Remark, ...]
) -> tuple[list[Finding], list[Finding]]:
    """Return the findings that no comment takes, and what is wrong with the comments."""
    kept = list(findings)
    about: list[Finding] = []
    for remark in remarks:
        unknown = [rule for rule in remark.rules if rule not in BY_ID]
        if not remark.reason or not remark.rules or unknown:
            what = f"there is no rule {unknown[0]}" if unknown else "it names no rule"
            message = what if unknown or not remark.rules else "it gives no reason"
            about.append(_about("ignore-without-reason", remark, message))
            continue
        for rule in remark.rules:
            taken = [f for f in findings if f.rule == rule and _covers(remark, f)]
            kept = [f for f in kept if f not in taken]
            if not taken:
                about.append(_about("unused-ignore", remark, f"{rule} finds nothing here"))
    return kept, about


def _covers(remark: Remark, finding: Finding) -> bool:
    same = remark.place.path == finding.place.path
    return same and finding.place.line <= remark.place.line <= max(
        finding.end_line, finding.place.line
    )


def _about(rule: str, remark: Remark, message: str) -> Finding:
    return Finding(
        rule=rule,
        place=remark.place,
        end_line=remark.place.line,
        line="",
        message=message,
    )
