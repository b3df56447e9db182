"""`make demo`: the main job on the example, through the real command line.

A host pins a DeepGEMM on its nv_dev branch. The release lacks what the host needs, the dev branch
has it: one bump is refused, the other is made, and what is left to do by hand is done.
"""

import os
import sys
import tempfile
from pathlib import Path

from dgpin import process
from tests.example import make_deepgemm, make_host

ALIAS = "deep_gemm.fp8_m_grouped_gemm_nt_masked"
NOTE = "The dev branch: 2.8.0 with the SM120 kernels"
# What a maintainer changes by hand after the bump: the floors that the new source raised.
FLOORS = {
    "CMakeLists.txt": (("11.3", "13"),),
    "cmake/external_projects/deepgemm.cmake": (
        ("EQUAL 12.3", "EQUAL 12.9"),
        ("12.3+ for SM90 and 12.9+ for the families after it", "12.9+"),
        ("cutlass or fmt", "cutlass or deep_jit"),
    ),
    "docs/getting_started/installation/gpu.cuda.inc.md": (("11.3", "13"), ("12.3", "12.9")),
    "setup.py": (("12.3", "12.9"),),
    "tools/install_deepgemm.sh": (("-lt 8", "-lt 9"), ("12.8+", "12.9+")),
}


def main() -> int:
    """Run the demonstration; return 0 if every command ended as it should."""
    with tempfile.TemporaryDirectory(prefix="dgpin-demo-") as scratch:
        root = Path(scratch).resolve()
        example = make_deepgemm(root)
        host = make_host(root / "host", example.url, example.commits["sm120"])
        check, move = ("check",), ("bump", "dev", "--accept-loss", ALIAS, "--note", NOTE)
        steps = (
            _step(host, "Do the sites agree, and do they fit the source?", 0, *check, "--remote"),
            _step(host, "Move to the release. It has no SM120 kernels:", 1, "bump", "v2.8.0"),
            _step(host, "Move to the branch that has them, and do without an old name:", 0, *move),
            _step(host, "The new source asks for more than the host declares:", 1, *check),
            _raise_floors(host),
            _step(host, "With the floors raised by hand:", 0, *check),
        )
    _say("\nTo look around in it: python -m tests.example DIR\n")
    return int(not all(steps))


def _step(host: Path, why: str, expected: int, *words: str) -> bool:
    """Run one command of dgpin and show it; return whether it ended with the expected code."""
    shown = " ".join(f'"{word}"' if " " in word else word for word in words)
    _say(f"\n── {why}\n\n$ dgpin {shown}\n")
    env = os.environ | {"DGPIN_CACHE_DIR": str(host.parent / "cache")}
    if sys.stdout.isatty():
        env.setdefault("FORCE_COLOR", "1")
    argv = [sys.executable, "-m", "dgpin", *words]
    done = process.run(argv, cwd=host, env=env, emit=lambda line: _say(line.decode()))
    _say(f"(exit code {done.returncode})\n")
    if done.returncode != expected:
        _say(f"This should have been {expected}.\n")
    return done.returncode == expected


def _raise_floors(host: Path) -> bool:
    for path, changes in FLOORS.items():
        text = (host / path).read_text()
        for old, new in changes:
            text = text.replace(old, new)
        (host / path).write_text(text)
    return True


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
