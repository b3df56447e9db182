"""The answer of `dgpin show --env`."""

from collections.abc import Mapping

from dgpin.pin.environment import Copy, Environment
from dgpin.render import rows as rendered
from dgpin.render.document import document
from dgpin.render.terminal import Line, Renderers
from dgpin.verdict import Row

FORMS = ("text", "json")


def renderers(found: Environment, rows: tuple[Row, ...]) -> Renderers:
    """Return every form of the answer."""
    return {
        "text": lambda: text(found, rows),
        "json": lambda: document("show-env", 1, content(found, rows)),
    }


def text(found: Environment, rows: tuple[Row, ...]) -> tuple[Line, ...]:
    """Return the answer as lines of text."""
    lines: list[Line] = [(("python      ", ""), (f"{found.python} ({found.version})", "bold"))]
    if not found.copies:
        lines.append((("deep_gemm   ", ""), ("none: this interpreter has no copy", "yellow")))
    for copy in found.copies:
        lines += [(), ((_standing(found, copy), "bold"), (f"  {copy.directory}", "cyan"))]
        lines += [((f"  {name:14}", ""), (value, "")) for name, value in _values(copy).items()]
    return (*lines, (), *rendered.lines(rows))


def _standing(found: Environment, copy: Copy) -> str:
    """Return what a copy is to the interpreter."""
    if copy is found.installed:
        vendored = ", and wins over the vendored one" if found.vendored else ""
        return f"import deep_gemm loads this{vendored}"
    if copy.is_vendored:
        return f"vendored, imported as {copy.name}"
    return "hidden by the one that is loaded"


def _values(copy: Copy) -> Mapping[str, str]:
    identity = copy.identity
    values = {
        "owner": " and ".join(map(str, copy.owners)) or "no distribution says it installed this",
        "version": copy.version or "",
        "commit": f"{identity.commit} ({identity.evidence.value})" if identity else "unknown",
        "architectures": ", ".join(copy.arches) or "none: it has no kernel headers",
        "content": copy.content[:16],
    }
    return {name: value for name, value in values.items() if value}


def content(found: Environment, rows: tuple[Row, ...]) -> Mapping[str, object]:
    """Return the answer as JSON has it."""
    return {
        "python": {"path": found.python, "version": found.version},
        "copies": [_copy(found, copy) for copy in found.copies],
        "rows": [rendered.as_json(row) for row in rows],
    }


def _copy(found: Environment, copy: Copy) -> Mapping[str, object]:
    return {
        "directory": str(copy.directory),
        "name": copy.name,
        "loaded": copy is found.installed,
        "vendored": copy.is_vendored,
        "owners": [{"name": owner.name, "version": owner.version} for owner in copy.owners],
        "version": copy.version,
        "commit": copy.identity.commit if copy.identity else None,
        "evidence": copy.identity.evidence.value if copy.identity else None,
        "architectures": list(copy.arches),
        "families": list(copy.families),
        "content": copy.content,
    }
