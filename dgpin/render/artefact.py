"""The answer of `dgpin check --artefact` and `--env`."""

from dgpin.render import rows as rendered
from dgpin.render.document import document, summarise
from dgpin.render.terminal import Line, Renderers
from dgpin.verdict import Row

FORMS = ("text", "json", "markdown", "github")


def renderers(subject: str, rows: tuple[Row, ...]) -> Renderers:
    """Return every form of the answer on a wheel, a directory, an extension or an environment."""

    def text() -> tuple[Line, ...]:
        head: Line = (("artefact ", ""), (subject, "bold"))
        return (head, *rendered.lines(rows), ((rendered.count(rows), "bold"),))

    def markdown() -> str:
        return f"## {rendered.code(subject)}: {rendered.count(rows)}\n\n{rendered.markdown(rows)}"

    def github() -> str:
        summarise(markdown())
        return rendered.annotations(rows)

    return {
        "text": text,
        "json": lambda: document(
            "artefact", 1, {"artefact": subject, "rows": [rendered.as_json(r) for r in rows]}
        ),
        "markdown": markdown,
        "github": github,
    }
