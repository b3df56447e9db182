"""Builds of the small DeepGEMM."""

import json
from pathlib import Path

import pytest

from dgpin.build import interpreter, job, source
from dgpin.build.job import Job, Result
from tests.build.small import Small
from tests.build.world import write


def prepare(small: Small, *pythons: str, **options: object) -> Job:
    """Return the job of the small source."""
    recipe = job.read_recipe(small.source)
    tree = source.read(small.source, recipe, label="small")
    home = options.get("cuda_home")
    allowed = options.get("allowed", ())
    assert isinstance(allowed, tuple)
    return job.prepare(
        tree,
        recipe,
        pythons or (small.python,),
        cuda_home=home if isinstance(home, Path) else None,
        allowed=allowed,
    )


def build(small: Small, *pythons: str, **options: object) -> Result:
    """Build the small source."""
    return job.run(prepare(small, *pythons, **options))


def compiler(small: Small, monkeypatch: pytest.MonkeyPatch, *, compiling: str) -> None:
    """Put a wrapper before g++ that runs a line of shell before it compiles."""
    script = write(
        small.root / "cxx",
        f'#!/bin/sh\ncase " $* " in *" -c "*) {compiling} ;; esac\nexec g++ "$@"\n',
    )
    script.chmod(0o755)
    monkeypatch.setenv("CXX", str(script))


def other_python(small: Small, suffix: str = ".cpython-399-x86_64-linux-gnu.so") -> str:
    """Return a Python of another version, without torch, of which only the headers count."""
    own = interpreter.read(small.python)
    answer = {
        "schema": 1,
        "version": "3.99.0",
        "implementation": "cpython",
        "include": str(own.include),
        "ext_suffix": suffix,
        "platform": own.platform,
        "path": [],
        "modules": [],
    }
    kept = write(small.root / "other.json", json.dumps(answer))
    script = write(small.root / "other", f"#!/bin/sh\ncat '{kept}' > \"$3\"\n")
    script.chmod(0o755)
    return str(script)
