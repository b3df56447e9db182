"""The text of a pipeline: templates filled with a pin's architectures and files."""

import json
import re
import shlex
from collections.abc import Sequence
from enum import Enum
from importlib import resources

from dgpin import lines


class Engine(str, Enum):
    """What runs the pipeline."""

    GITHUB = "github"
    BUILDKITE = "buildkite"
    SLURM = "slurm"


def write(
    engine: Engine,
    *,
    architectures: Sequence[str],
    paths: Sequence[str],
    package: str,
    folder: str = "",
) -> str:
    """Return the pipeline. `paths` are where the host's pin stands, `package` what pip installs.

    `folder` is the host's directory below the top of its repository, where engines begin. There
    must be at least one architecture.
    """
    if engine is Engine.GITHUB:
        return _github(architectures, paths, package, folder)
    if engine is Engine.BUILDKITE:
        return _buildkite(architectures, package, folder)
    return _slurm(architectures, package)


_EVIDENCE = "evidence-*.json"


def _github(architectures: Sequence[str], paths: Sequence[str], package: str, folder: str) -> str:
    inside = f"{folder}/" if folder else ""
    return _filled(
        _template("github.yml"),
        MATRIX="\n".join(
            f"          - {{arch: {arch}, runner: '{json.dumps(['self-hosted', arch])}'}}"
            for arch in architectures
        ),
        REQUIRE=",".join(architectures),
        PACKAGE=_quoted(package),
        PATHS="\n".join(f"      - {_quoted(_literal(inside + path))}" for path in paths),
        WHERE=f"working-directory: {_quoted(folder)}" if folder else "",
        EVIDENCE=_quoted(inside + _EVIDENCE) if folder else _EVIDENCE,
        INSTALL=_template("install.sh"),
        MOVE=_template("move.sh"),
        SMOKE=_template("smoke.sh"),
    )


def _buildkite(architectures: Sequence[str], package: str, folder: str) -> str:
    # The agent replaces $NAME when it uploads the pipeline; the shell's own are written $$NAME.
    install, smoke = (_template(f"{name}.sh").replace("$", "$$") for name in ("install", "smoke"))
    inside = f"{folder}/" if folder else ""
    evidence = _quoted(inside + _EVIDENCE).replace("$", "$$") if folder else _EVIDENCE
    enter = f"cd {shlex.quote(folder)}".replace("$", "$$") if folder else ""
    steps = [
        _filled(
            _template("buildkite-smoke.yml"),
            ARCH=arch,
            INSTALL=install,
            ENTER=enter,
            EVIDENCE=evidence,
            SMOKE=smoke,
        )
        for arch in architectures
    ]
    return _filled(
        _template("buildkite.yml"),
        ENTER=enter,
        EVIDENCE=evidence,
        LOAD=(shlex.quote(inside + _EVIDENCE) if folder else f'"{_EVIDENCE}"').replace("$", "$$"),
        FILES=(shlex.quote(inside) + _EVIDENCE if folder else _EVIDENCE).replace("$", "$$"),
        STEPS="\n".join(steps).rstrip("\n"),
        KEYS=", ".join(f"deepgemm-smoke-{arch}" for arch in architectures),
        REQUIRE=",".join(architectures),
        PACKAGE=_quoted(package).replace("$", "$$"),
        INSTALL=install,
    )


def _slurm(architectures: Sequence[str], package: str) -> str:
    return _filled(
        _template("slurm.sh"),
        ARCHES=" ".join(architectures),
        LAST=str(len(architectures) - 1),
        REQUIRE=",".join(architectures),
        PACKAGE=shlex.quote(package),
        INSTALL=_template("install.sh"),
        SMOKE=_template("smoke.sh"),
    )


def _literal(path: str) -> str:
    """Return the pattern of GitHub's filter that only this path matches."""
    return re.sub(r"[*?+\[\\]|^!", r"\\\g<0>", path)


def _quoted(text: str) -> str:
    """Return a text as YAML has it; JSON's pairs for what lies beyond U+FFFF are none of YAML's."""
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(each if each.isprintable() else f"\\U{ord(each):08x}" for each in quoted)


def _template(name: str) -> str:
    folder = resources.files("dgpin.ci") / "templates"
    return (folder / name).read_text(encoding="utf-8")


def _filled(template: str, **values: str) -> str:
    """Return the template with each @NAME@ replaced; a text of several lines keeps the indent.

    A line that is a hole alone goes with an empty text.
    """
    filled = []
    for line in lines.split(template):
        alone = re.fullmatch(r"( *)@([A-Z]+)@", line)
        if alone is not None and not values[alone[2]]:
            continue
        if alone is not None:
            text = lines.split(values[alone[2]])
            filled += [f"{alone[1]}{each}" if each else "" for each in text]
        else:
            filled.append(re.sub(r"@([A-Z]+)@", lambda hole: values[hole[1]], line))
    return "\n".join(filled) + "\n"
