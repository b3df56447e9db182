"""What a host needs of DeepGEMM, read from its files."""

from collections.abc import Iterator
from pathlib import Path

from dgpin.api.host.scan import scan
from dgpin.api.uses import Form, Scan, Then, Use
from dgpin.smoke.wanted import Needs, Wanted

_REACHING = frozenset({Form.CALL, Form.READ, Form.IMPORT})
_ASKING = frozenset({Form.HASATTR, Form.PARAMETER})


def of(root: Path) -> Needs:
    """Return what a host's files use of the API. Nothing of the host is imported or run."""
    return needs(scan(root), host=root.name)


def needs(found: Scan, *, host: str) -> Needs:
    """Return the names without which a use fails, and the keywords that such uses pass.

    A name that the host asks for before it uses it, and can do without, is optional; tests are
    left out.
    """
    uses = [use for use in found.uses if use.is_use and not use.in_test]
    asked = {use.path for use in uses if _asks(use)}
    # Later legs of `a or b`: read only where the first is not there.
    later = {(use.place, target.path) for use in uses for target in use.targets[1:]}
    functions: dict[tuple[str, ...], set[str]] = {}
    for use in uses:
        if use.form not in _REACHING or _copes(use) or (use.place, use.path) in later:
            continue
        if asked & {target.path for target in use.targets}:
            continue
        if spellings := tuple(dict.fromkeys(_names(use))):
            functions.setdefault(spellings, set()).update(_keywords(use))
    return Needs(
        host=host,
        functions=tuple(
            Wanted(spellings=spellings, keywords=tuple(sorted(words)))
            for spellings, words in sorted(functions.items())
        ),
        optional=tuple(sorted(filter(None, map(_below, asked)))),
    )


def _asks(use: Use) -> bool:
    """Whether the host learns here that a name is absent, and goes on without it."""
    if use.form in _REACHING:
        return use.form is not Form.CALL and _copes(use)
    raises = any(each.outcome.then is Then.RAISES for each in use.consumers)
    return use.form in _ASKING or bool(use.consumers and not raises)


def _copes(use: Use) -> bool:
    outcomes = [handler.outcome for handler in use.handlers]
    if use.absent is not None:
        outcomes.append(use.absent)
    return any(outcome.then is not Then.RAISES for outcome in outcomes)


def _names(use: Use) -> Iterator[str]:
    yield from filter(None, (_below(target.path) for target in use.targets))


def _below(path: str) -> str:
    """Return a path without the package that it starts with, "" for the package itself."""
    return path.partition(".")[2]


def _keywords(use: Use) -> Iterator[str]:
    """Yield what a call passes by name, but for what the host asks the function about first."""
    if use.is_one_of:  # of the functions that may be called here, each may take its own
        return
    known = {guard.parameter for guard in use.guards}
    for keyword in use.arguments.keywords if use.arguments else ():
        if keyword.name not in known:
            yield keyword.name
