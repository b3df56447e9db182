"""A compiler that can compile DeepGEMM 2.8: the machine's, with newer headers where it is old.

Debian 12's g++ 12 has no <format>. The headers and the archive of libstdc++ 13 come out of Debian
13's package, and elfutils' headers out of Debian 12's, fetched under an apt configuration of
their own and unpacked aside: nothing is installed.
"""

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from dgpin import process
from tests.real import inputs

_PACKAGES = {"trixie": ["libstdc++-13-dev"], "bookworm": ["libdw-dev", "libelf-dev"]}
_APT = """\
Dir "{root}";
Dir::State::status "{root}/status";
Dir::Etc::sourcelist "{root}/sources.list";
Dir::Etc::sourceparts "-";
APT::Sandbox::User "root";
Acquire::Languages "none";
"""
_NEEDED = "#include <format>\n#include <elfutils/libdwfl.h>\nint main() {}\n"


def environment() -> Mapping[str, str]:
    """Return CXXFLAGS and LDFLAGS with which the machine's g++ has <format> and elfutils.

    Nothing is optimised: what an extension offers does not depend on it, and the compile takes
    half the time.
    """
    words = ["g++", "-std=c++20", "-fsyntax-only", "-x", "c++", "-"]
    if process.run(words, stdin=_NEEDED.encode()).returncode == 0:
        return {"CXXFLAGS": "-O0"}
    usr = _unpacked() / "usr"
    directories = [
        usr / "include/c++/13",
        usr / "include/x86_64-linux-gnu/c++/13",
        usr / "include/c++/13/backward",
        usr / "include",
    ]
    archive = usr / "lib/gcc/x86_64-linux-gnu/13/libstdc++.a"
    return {
        "CXXFLAGS": " ".join(["-O0 -nostdinc++", *(f"-isystem {path}" for path in directories)]),
        "LDFLAGS": f"-lstdc++ {archive} -Wl,--exclude-libs,libstdc++.a",
    }


def _unpacked() -> Path:
    target = inputs.cache() / "libstdc++-13"
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        out = Path(scratch, "out")
        for release, packages in _PACKAGES.items():
            for package in _fetched(Path(scratch, release), release, packages):
                process.run(["dpkg-deb", "-x", package, out]).check()
        if not target.is_dir():  # nobody else was faster
            shutil.move(out, target)
    return target


def _fetched(root: Path, release: str, packages: list[str]) -> list[Path]:
    for part in ("etc/apt/apt.conf.d", "etc/apt/preferences.d", "var/lib/apt/lists/partial",
                 "var/cache/apt/archives/partial"):  # fmt: skip
        (root / part).mkdir(parents=True)
    (root / "status").touch()
    (root / "sources.list").write_text(
        "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] "
        f"http://deb.debian.org/debian {release} main\n"
    )
    (root / "apt.conf").write_text(_APT.format(root=root))
    env = {**os.environ, "APT_CONFIG": str(root / "apt.conf")}
    process.run(["apt-get", "-q", "update"], env=env).check()
    process.run(["apt-get", "-q", "download", *packages], env=env, cwd=root).check()
    return sorted(root.glob("*.deb"))
