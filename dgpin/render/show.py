"""The answer of `dgpin show`."""

from collections.abc import Mapping

from dgpin.pin.show import Shown
from dgpin.render import rows as rendered
from dgpin.render.document import document
from dgpin.render.terminal import Line, Renderers

FORMS = ("text", "json", "markdown")


def renderers(shown: Shown) -> Renderers:
    """Return every form of the answer."""
    return {
        "text": lambda: text(shown),
        "json": lambda: document("show", 1, content(shown)),
        "markdown": lambda: markdown(shown),
    }


def text(shown: Shown) -> tuple[Line, ...]:
    """Return the answer as lines of text."""
    return (
        *(((f"{name:12}", ""), (value, "bold" if name == "commit" else "")) for name, value in
          _values(shown).items()),
        (),
        *(
            ((f"{site.role.value:8}", "magenta"), (str(site.place), "cyan"),
             (f"  {site.fact}: {site.value}", ""))
            for site in shown.sites
        ),
        *_warning(shown),
    )  # fmt: skip


def _values(shown: Shown) -> Mapping[str, str]:
    pinned, commit = shown.pinned, shown.commit
    values = {
        "host": str(shown.root),
        "repo": pinned.repo or "unknown: no site names one",
        "commit": pinned.commit or "unknown: no site states one",
        "wheel": pinned.wheel or "",
        "version": shown.facts.scalar("version") or "" if shown.facts else pinned.version or "",
        "branch": ", ".join(shown.branches),
        "date": commit.date[:10] if commit else "",
        "subject": commit.subject if commit else "",
        "submodules": ", ".join(f"{path} {sha[:12]}" for path, sha in shown.submodules.items()),
        "follows": _follows(shown),
        "hold": _held(shown),
        "sites in": shown.config.source + (" (preset)" if shown.config.is_preset else ""),
    }
    return {name: value for name, value in values.items() if value}


def _follows(shown: Shown) -> str:
    if shown.follow is None:
        return ""
    if shown.behind is None:
        return f"{shown.follow}, distance unknown: no mirror has both (`dgpin check --remote`)"
    new, own = shown.behind.ahead, shown.behind.behind
    aside = f", {own} of its own" if own else ""
    return (
        f"{shown.follow}, {rendered.counted(new, 'commit')} behind it{aside} (as of {shown.as_of})"
    )


def _held(shown: Shown) -> str:
    if shown.hold is None:
        return ""
    return shown.hold.reason + (f", until {shown.hold.until}" if shown.hold.until else "")


def _warning(shown: Shown) -> tuple[Line, ...]:
    if shown.has_production_site:
        return ()
    return ((), (("no site states the pin for what ships: build, install or image", "yellow"),))


def content(shown: Shown) -> Mapping[str, object]:
    """Return the answer as JSON has it; what is not known is null."""
    pinned, commit = shown.pinned, shown.commit
    return {
        "host": str(shown.root),
        "configuration": {"source": shown.config.source, "preset": shown.config.is_preset},
        "repo": pinned.repo,
        "commit": pinned.commit,
        "wheel": pinned.wheel,
        "version": shown.facts.scalar("version") if shown.facts else pinned.version,
        "branches": list(shown.branches),
        "date": commit.date if commit else None,
        "subject": commit.subject if commit else None,
        "submodules": dict(shown.submodules),
        "follow": shown.follow,
        "behind": shown.behind.ahead if shown.behind else None,
        "own_commits": shown.behind.behind if shown.behind else None,
        "as_of": shown.as_of,
        "hold": {"reason": shown.hold.reason, "until": shown.hold.until} if shown.hold else None,
        "production_site": shown.has_production_site,
        "sites": [
            {
                "path": site.place.path,
                "line": site.place.line,
                "role": site.role.value,
                "fact": site.fact,
                "value": site.value,
            }
            for site in shown.sites
        ],
    }


def markdown(shown: Shown) -> str:
    """Return the answer as two Markdown tables."""
    head = "| | |\n| --- | --- |\n" + "".join(
        f"| {name} | {rendered.cell(value)} |\n" for name, value in _values(shown).items()
    )
    sites = "| role | site | fact | value |\n| --- | --- | --- | --- |\n" + "".join(
        f"| {s.role.value} | {rendered.code(str(s.place))} | {s.fact} | "
        f"{rendered.code(s.value)} |\n"
        for s in shown.sites
    )
    return f"{head}\n{sites}"
