"""What makes the pin not the thing that is built or runs."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from dgpin.pin.host import Host
from dgpin.pin.sites import Reading
from dgpin.verdict import Place, Row, Verdict

# Variables of the hosts' builds, and what each of them puts in the place of the pinned source.
_VARIABLES = {
    "DEEPGEMM_SRC_DIR": "the build takes DeepGEMM from that directory, whatever the pin says",
    "VLLM_USE_PRECOMPILED": "the build takes deep_gemm out of another commit's wheel",
}
_INSTALLED = "lib/python3.*/site-packages"


def hazards(
    host: Host, reading: Reading, commit: str, *, env: Mapping[str, str] | None = None
) -> tuple[Row, ...]:
    """Return one row for each thing that could stand in the place of the pinned commit."""
    env = os.environ if env is None else env
    return (
        *(_checkout(host, reading, path, commit) for path in reading.config.checkouts),
        *_variables(env),
        *_installed(host, env),
    )


def _checkout(host: Host, reading: Reading, path: str, commit: str) -> Row:
    """Judge a copy of the source that the host's build keeps and does not renew."""
    hint = f"Before the next build: rm -rf {_kept(path)}"
    guard = _guards(reading)
    if not (host.root / path).is_dir():
        return Row(
            rule="checkout",
            verdict=Verdict.PASS,
            message=f"{path} is not there; where it is, the build keeps using it as it is",
            places=guard,
            hint=hint if guard else "",
        )
    head = head_of(host.root / path)
    if head is None:
        verdict, what = Verdict.UNKNOWN, "does not say at which commit it stands"
    elif not commit:
        verdict, what = Verdict.UNKNOWN, f"stands at {head[:12]}; the sites name no commit"
    elif head.startswith(commit):
        return Row(rule="checkout", verdict=Verdict.PASS, message=f"{path} stands at the pin")
    else:
        verdict, what = Verdict.FAIL, f"stands at {head[:12]}, and the build keeps using it"
    places = (Place(path), *guard)
    return Row(rule="checkout", verdict=verdict, message=f"{path} {what}", places=places, hint=hint)


def _kept(path: str) -> str:
    """Return what the build keeps, for a shell. CMake has two more directories beside a source."""
    pure = PurePosixPath(path)
    if pure.name == "deepgemm-src" and re.fullmatch(r"[\w./-]+", path):
        return f"{pure.parent}/deepgemm-*"
    import shlex  # noqa: PLC0415 - start-up: most hosts have CMake's

    return shlex.quote(path)


def _guards(reading: Reading) -> tuple[Place, ...]:
    """Return the lines on which the host's build asks only whether a source is there."""
    return tuple(
        site.place
        for site in reading.sites("files", watch=True)
        if "EXISTS" in site.entry.text
    )  # fmt: skip


def head_of(checkout: Path) -> str | None:
    """Return the commit at which a checkout stands, read from its git files without git."""
    git = checkout / ".git"
    try:
        if git.is_file():
            git = checkout / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
        head = (git / "HEAD").read_text(encoding="utf-8").strip()
        if not head.startswith("ref:"):
            return head
        name = head.removeprefix("ref:").strip()
        if (git / name).is_file():
            return (git / name).read_text(encoding="utf-8").strip()
        for line in (git / "packed-refs").read_text(encoding="utf-8").splitlines():
            sha, _, packed = line.partition(" ")
            if packed == name:
                return sha
    except (OSError, UnicodeDecodeError):
        return None
    return None


def _variables(env: Mapping[str, str]) -> Iterator[Row]:
    for name, effect in _VARIABLES.items():
        if env.get(name, "") not in ("", "0"):
            yield Row(
                rule="overridden",
                verdict=Verdict.FAIL,
                message=f"{name} is set here: {effect}",
                hint=f"Unset {name} where the pin shall count.",
            )


def _installed(host: Host, env: Mapping[str, str]) -> Iterator[Row]:
    venv = env.get("VIRTUAL_ENV")
    if not venv or not reading_vendors(host):
        return
    for site in sorted(Path(venv).glob(_INSTALLED)):
        if (site / "deep_gemm").is_dir():
            yield Row(
                rule="overridden",
                verdict=Verdict.FAIL,
                message=f"an installed deep_gemm wins over the vendored copy: {site / 'deep_gemm'}",
                hint="Uninstall it where the pin shall count; `dgpin show --env` says whose it is.",
            )


def reading_vendors(host: Host) -> bool:
    """Return whether the host carries a DeepGEMM of its own inside its package."""
    return any(host.root.glob("*/third_party"))
