"""Ask pip-audit about the packages of an environment: `python -m tests.supply.audit PYTHON`.

pip-audit skips a package that its index does not know, and then says that nothing was found. Here
a package that was not looked up was not audited, and where none was, nothing ran.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from dgpin import process

_LIMIT = 120  # seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """What came of it: the exit code, and the lines to print."""

    code: int
    lines: tuple[str, ...]


def judge(report: str, why: str) -> Audit:
    """Return the verdict on what pip-audit printed (JSON, or nothing and `why`)."""
    try:
        rows = json.loads(report)["dependencies"]
    except (ValueError, KeyError, TypeError):
        last = (why.strip().splitlines() or ["it printed nothing"])[-1]
        return Audit(code=0, lines=(f"pip-audit: not run: {last}",))
    asked = [row for row in rows if "skip_reason" not in row]
    skipped = [row["name"] for row in rows if "skip_reason" in row]
    if not asked:
        what = f"its index knows none of the {len(rows)} packages"
        return Audit(code=0, lines=(f"pip-audit: not run: {what}",))
    found = [
        f"{row['name']} {row['version']}: {fault['id']}, mended in "
        f"{', '.join(fault['fix_versions']) or 'no version yet'}"
        for row in asked
        for fault in row["vulns"]
    ]
    summary = f"pip-audit: {len(asked)} packages, {len(found)} known vulnerabilities"
    aside = f"; not known to its index: {', '.join(skipped)}" if skipped else ""
    return Audit(code=1 if found else 0, lines=(*found, summary + aside))


def _packages(python: str) -> Path:
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return Path(process.run([python, "-c", ask]).check().text.strip())


def main() -> int:
    """Audit the environment of the named interpreter."""
    program = Path(sys.executable).with_name("pip-audit")
    options = ("--format=json", "--progress-spinner=off", "--timeout=10")
    words: list[str | Path] = [program, *options, "--path", _packages(sys.argv[1])]
    done = process.run(words, timeout=_LIMIT)
    late = f"no answer within {_LIMIT} s" if done.returncode is None else done.tail
    audit = judge(done.text, late)
    print("\n".join(audit.lines))
    return audit.code


if __name__ == "__main__":
    sys.exit(main())
