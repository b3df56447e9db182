"""One target in the fuzzer's own process, which libFuzzer ends: `python -m tests.fuzz.child`."""

import argparse
import contextlib
import random
import sys
import tempfile
from pathlib import Path

import atheris

PLAIN = 0.3  # the share of changes that know nothing of the input's form


def main() -> None:
    """Fuzz one target until a finding or until the time is up."""
    parser = argparse.ArgumentParser()
    parser.add_argument("target")
    parser.add_argument("--seconds", type=int, required=True)
    parser.add_argument("--planted", action="store_true")
    parser.add_argument("--found", type=Path, required=True)
    parser.add_argument("--grown", type=Path, required=True)
    words = parser.parse_args()
    atheris.enabled_hooks.add("str")
    with atheris.instrument_imports(include=["dgpin", "elftools", "tests.fuzz", "zipfile"]):
        from tests.fuzz.targets import TARGETS
    target = TARGETS[words.target]

    def changed(data: bytes, longest: int, seed: int) -> bytes:
        chance = random.Random(seed)
        if target.change is None or chance.random() < PLAIN:
            return bytes(atheris.Mutate(data, longest))
        return target.change(data, chance)[:longest]

    words.grown.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", suffix=".dict") as dictionary:
        dictionary.write("\n".join(f'"{_escaped(word)}"' for word in target.words))
        dictionary.flush()
        argv = [
            sys.argv[0],
            f"-max_total_time={words.seconds}",
            f"-max_len={target.longest}",
            f"-artifact_prefix={words.found}/",
            "-timeout=120",
            "-rss_limit_mb=4096",
            "-print_final_stats=1",
            *([f"-dict={dictionary.name}"] if target.words else []),
            str(words.grown),
            str(target.corpus),
        ]
        fault = target.fault.planted() if words.planted else contextlib.nullcontext()
        with fault:
            atheris.Setup(
                argv, target.run, **({"custom_mutator": changed} if target.change else {})
            )
            atheris.Fuzz()


def _escaped(word: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word.encode())


if __name__ == "__main__":
    main()
