"""How a use fails, in words, and which handler takes what it raises."""

from collections.abc import Iterable

from dgpin.api.bind import Refused
from dgpin.api.bind_lookup import Missing
from dgpin.api.uses import Form, Handler, Outcome, Then, Use


def is_silent(use: Use) -> bool:
    """Whether the absence of a name shows as a value, not as an exception."""
    if use.form in {Form.HASATTR, Form.FIND_SPEC, Form.GETATTR} and use.absent is not None:
        return False
    if use.form in {Form.HASATTR, Form.FIND_SPEC}:
        return True
    return use.form is Form.GETATTR and use.targets[-1].optional


def off(use: Use, path: str) -> str:
    """Return what a probe answers when the name is gone."""
    name = path.rpartition(".")[2]
    if use.form is Form.GETATTR:
        return f"B has no {name}, so getattr gives its default{_then(use)}"
    if use.form is Form.HASATTR:
        answer = "hasattr is false" if "hasattr" in use.line else "the answer is no"
        return f"B has no {name}, so {answer}"
    return f"B has no {path}, so no spec is found"


def _then(use: Use) -> str:
    """Return what the places do that ask for the name."""
    if not use.consumers:
        return ""
    loud = [c for c in use.consumers if c.outcome.then is Then.RAISES]
    quiet = [c for c in use.consumers if c.outcome.then is not Then.RAISES]
    words = []
    if quiet:
        words.append(f"{_named(c.function for c in quiet)} goes on without it")
    if loud:
        words.append(f"{_named(c.function for c in loud)} raises {loud[0].outcome.exception}")
    return "; " + ", ".join(words)


def _named(functions: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(f or "the module" for f in functions))


def exception(use: Use, missing: Missing) -> str:
    """Return what reaching a name raises when it is missing."""
    if use.form is Form.IMPORT:
        return (
            "ModuleNotFoundError" if missing.module or "import" in use.line[:6] else "ImportError"
        )
    if use.form is Form.DYNAMIC_IMPORT:
        return "ModuleNotFoundError"
    return "AttributeError"


_PARENTS = {
    "ModuleNotFoundError": ("ImportError",),
    "ImportError": (),
    "AttributeError": (),
    "TypeError": (),
    "RuntimeError": (),
    "NotImplementedError": ("RuntimeError",),
}


def catches(handler: Handler, exception: str) -> bool:
    """Whether a handler takes an exception."""
    names = {exception, *_PARENTS.get(exception, ()), "Exception", "BaseException"}
    return bool(names & set(handler.exceptions))


def catcher(use: Use, exception: str) -> Handler | None:
    """Return the nearest handler around a use that takes an exception."""
    return next((h for h in use.handlers if catches(h, exception)), None)


def caught_words(handler: Handler) -> str:
    """Return who takes it."""
    return f"the handler at {handler.place} takes the {', '.join(handler.exceptions)}"


def said(path: str, outcome: Outcome) -> str:
    """Return what the host itself raises instead."""
    text = f', saying "{outcome.detail}"' if outcome.detail else ""
    return f"B has no {path.rpartition('.')[2]}, so the host raises{text}"


def refused_words(path: str, refused: Refused) -> str:
    """Return why a call does not bind."""
    when = " in some runs" if refused.sometimes else ""
    return f"{path.rpartition('.')[2]} in B: {refused.why}{when}"
