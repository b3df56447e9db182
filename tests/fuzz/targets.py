"""Every fuzz target by its name."""

from tests.fuzz import builds, host_texts, repositories

TARGETS = {
    target.name: target
    for target in (
        host_texts.TEMPLATES,
        host_texts.TOML,
        builds.DOCSTRINGS,
        builds.SCHEMAS,
        builds.BINDINGS,
        builds.ELF,
        builds.WHEELS,
        repositories.GITMODULES,
        repositories.EVIDENCE,
        repositories.GIT,
    )
}
