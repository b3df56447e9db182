"""`python -m tests.fuzz [TARGET …]`: fuzz each target and say what was found.

With `--planted`, a known mistake is put into the code, which must be found: exit 0 means that it
was, and that without `--planted` nothing was. What is found, and a corpus that grows, lie in
`--work`; a finding is read again with `--replay FILE`.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.target import Target
from tests.fuzz.targets import TARGETS


def main() -> int:
    """Run the targets one after the other."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=int, default=600, help="for each target")
    parser.add_argument("--planted", action="store_true", help="find the mistake put in for it")
    parser.add_argument("--work", type=Path, help="a directory for findings and grown corpora")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="read one input again")
    words = parser.parse_args()
    if unknown := [name for name in words.targets if name not in TARGETS]:
        parser.error(f"no target {', '.join(unknown)}; there are {', '.join(TARGETS)}")
    chosen = [TARGETS[name] for name in words.targets or TARGETS]
    if words.replay is not None:
        for target in chosen:
            target.run(words.replay.read_bytes())
        return 0
    work = words.work or Path(tempfile.mkdtemp(prefix="dgpin-fuzz-"))
    good = [_fuzzed(target, words.seconds, planted=words.planted, work=work) for target in chosen]
    return 0 if all(good) else 1


def _fuzzed(target: Target, seconds: int, *, planted: bool, work: Path) -> bool:
    """Fuzz one target, print one line, and return whether it went as it should."""
    found = work / f"{target.name}-{'planted' if planted else 'found'}"
    found.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "tests.fuzz.child", target.name, f"--seconds={seconds}"]
    command += [f"--found={found}", *(["--planted"] if planted else [])]
    # What a planted run learns is about other code.
    grown = tempfile.mkdtemp() if planted else work / f"{target.name}-corpus"
    begun = time.monotonic()
    with (found / "log").open("wb") as log:
        done = subprocess.run([*command, f"--grown={grown}"], stdout=log, stderr=log, check=False)
    took = time.monotonic() - begun
    text = (found / "log").read_text(errors="replace")
    runs = re.search(r"number_of_executed_units: (\d+)", text)
    said = f"{target.name}: {int(runs[1]) if runs else 0} inputs in {took:.1f} s, "
    hit = done.returncode != 0
    if planted:
        said += f"{'found' if hit else 'NOT found'}: {target.fault.what}"
    else:
        said += f"A FINDING, see {found}" if hit else "no finding"
    print(said, flush=True)
    if hit and not planted:
        print("\n".join(text.splitlines()[-40:]), flush=True)
    return hit == planted


if __name__ == "__main__":
    sys.exit(main())
