"""`python -m tests.example DIR`: write the example to look at, and say where it is."""

import argparse
from pathlib import Path

from tests.example import make_deepgemm, make_host


def main() -> None:
    """Write the small DeepGEMM, and the small host pinned to its nv_dev branch."""
    parser = argparse.ArgumentParser(prog="python -m tests.example", description=__doc__)
    parser.add_argument("directory", type=Path, metavar="DIR", help="must not exist yet")
    directory = parser.parse_args().directory.absolute()
    example = make_deepgemm(directory)
    host = make_host(directory / "host", example.url, example.commits["sm120"])
    print(f"host   {host}")  # noqa: T201 - this is the program's answer
    print(f"repo   {example.url}")  # noqa: T201 - the same
    print(f"fork   {example.fork}")  # noqa: T201 - the same
    for name, commit in example.commits.items():
        print(f"{name:6} {commit}")  # noqa: T201 - the same


if __name__ == "__main__":
    main()
