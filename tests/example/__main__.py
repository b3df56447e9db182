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
    print(f"host   {host}")
    print(f"repo   {example.url}")
    print(f"fork   {example.fork}")
    for name, commit in example.commits.items():
        print(f"{name:6} {commit}")


if __name__ == "__main__":
    main()
