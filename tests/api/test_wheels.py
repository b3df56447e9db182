"""Wheels: what is unpacked of them, from where, and what is refused."""

import io
import stat
import zipfile
from pathlib import Path

import pytest

from dgpin.api import wheels
from dgpin.api.builds import NotABuildError, TwoBuildsError
from dgpin.build import archive
from dgpin.errors import DgpinError

MEMBERS = {
    "vllm/third_party/deep_gemm/__init__.py": b"from . import _C\n",
    "vllm/third_party/deep_gemm/_C.abi3.so": b"\x7fELF" + bytes(range(256)) * 40,
    "vllm/third_party/deep_gemm/utils/__init__.py": b"",
    "vllm/third_party/deep_gemm/include/deep_gemm/impls/sm90_gemm.cuh": b"//",
    "vllm/third_party/deep_gemm/include/cutlass/cutlass.h": b"//",
    "vllm/__init__.py": b"x" * 4_000_000,
    "vllm-0.30.0.dist-info/METADATA": b"",
}


def packed(members: dict[str, bytes], *, links: tuple[str, ...] = ()) -> bytes:
    """Return a wheel that holds these members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name)
            if name in links:
                info.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(info, data)
    return out.getvalue()


def put(tmp_path: Path, data: bytes, name: str = "a.whl") -> Path:
    """Write a wheel."""
    path = tmp_path / name
    path.write_bytes(data)
    return path


class Server:
    """Serves one file by ranges, and counts the bytes."""

    def __init__(self, data: bytes, *, status: int = 206) -> None:
        self.data, self.status = data, status
        self.sent = 0

    def __call__(self, url: str, span: str) -> tuple[int, dict[str, str], bytes]:
        """Answer as a server does."""
        assert url.startswith("https://")
        first, _, last = span.partition("-")
        size = len(self.data)
        begin, end = (int(first), int(last) + 1) if first else (max(size - int(last), 0), size)
        body = self.data[begin:end]
        self.sent += len(body)
        return self.status, {"content-range": f"bytes {begin}-{end - 1}/{size}"}, body


def test_vendored(tmp_path: Path) -> None:
    """The package inside a host's wheel is unpacked, without the libraries' headers."""
    build = wheels.local(put(tmp_path, packed(MEMBERS)), label="a.whl")
    found = {p.relative_to(build.root).as_posix() for p in build.root.rglob("*") if p.is_file()}

    assert {
        "deep_gemm/__init__.py",
        "deep_gemm/_C.abi3.so",
        "deep_gemm/utils/__init__.py",
        "deep_gemm/include/deep_gemm/impls/sm90_gemm.cuh",
    } == found


def test_content_names_it(tmp_path: Path) -> None:
    """One content is unpacked once, under its hash, whatever the wheel is called."""
    first = wheels.local(put(tmp_path, packed(MEMBERS)), label="a")
    more = packed({**MEMBERS, "vllm/other.py": b""})
    second = wheels.local(put(tmp_path, more, "b.whl"), label="b")

    assert first.root == second.root
    assert first.digest() == first.root.name


def test_tampered_cache(tmp_path: Path) -> None:
    """An entry that is not what was put there is unpacked again."""
    wheel = put(tmp_path, packed(MEMBERS))
    build = wheels.local(wheel, label="a")
    (build.package / "__init__.py").write_text("import evil")
    again = wheels.local(wheel, label="a")

    assert "from . import _C\n" == (again.package / "__init__.py").read_text()


def test_remote() -> None:
    """Of a wheel at a URL only what is needed is fetched."""
    server = Server(packed(MEMBERS))
    build = wheels.remote("https://example.org/a.whl", fetch=server)

    assert (build.package / "_C.abi3.so").read_bytes() == MEMBERS[
        "vllm/third_party/deep_gemm/_C.abi3.so"
    ]
    assert server.sent < len(server.data) / 3


def test_remote_listing_of_many_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wheel whose list of members is longer than one part is read as any other."""
    monkeypatch.setattr(wheels, "_CHUNK", 1_000)
    more = {f"vllm/module_{number}.py": b"" for number in range(100)}
    build = wheels.remote("https://example.org/a.whl", fetch=Server(packed({**MEMBERS, **more})))

    assert (build.package / "utils" / "__init__.py").is_file()


@pytest.mark.parametrize("size", [str(archive.LARGEST + 1), "9" * 5_000])
def test_remote_that_is_too_large(size: str) -> None:
    """A file that is said to be larger than an archive may be is not read."""

    def serve(url: str, span: str) -> tuple[int, dict[str, str], bytes]:
        assert (url, span[:1]) == ("https://example.org/a.whl", "-")
        return 206, {"content-range": f"bytes 0-1/{size}"}, packed(MEMBERS)

    with pytest.raises(archive.BombError, match="refused"):
        wheels.remote("https://example.org/a.whl", fetch=serve)


@pytest.mark.parametrize("status", [200, 404, 500])
def test_server_without_ranges(status: int) -> None:
    """A server that does not serve parts is told from one that has no such file."""
    with pytest.raises(wheels.WheelError):
        wheels.remote("https://example.org/a.whl", fetch=Server(packed(MEMBERS), status=status))


@pytest.mark.parametrize(
    "name", ["../deep_gemm/x.py", "deep_gemm/../../x.py", "/etc/deep_gemm/x.py", "..\\x.py"]
)
def test_escape(tmp_path: Path, name: str) -> None:
    """A member that would land outside is refused, and nothing is unpacked."""
    data = packed({"deep_gemm/__init__.py": b"", name: b""})
    with pytest.raises(wheels.WheelError) as caught:
        wheels.local(put(tmp_path, data), label="a.whl")

    assert "would land outside; refused" in caught.value.message


def test_link(tmp_path: Path) -> None:
    """A link in a wheel is refused: it could lead anywhere."""
    members = {"deep_gemm/__init__.py": b"", "deep_gemm/x": b"/etc/passwd"}
    with pytest.raises(wheels.WheelError):
        wheels.local(put(tmp_path, packed(members, links=("deep_gemm/x",))), label="a.whl")


@pytest.mark.parametrize("keep", [0, 10, 5000, -30])
def test_truncated(tmp_path: Path, keep: int) -> None:
    """A wheel that was cut short is refused, not read in part."""
    data = packed(MEMBERS)
    with pytest.raises(DgpinError) as caught:
        wheels.local(put(tmp_path, data[:keep]), label="a.whl")

    assert "is no whole wheel" in caught.value.message


def test_damaged_member(tmp_path: Path) -> None:
    """A member whose bytes are not what the directory promises is refused."""
    data = bytearray(packed(MEMBERS))
    data[data.index(b"from . import _C")] ^= 1
    with pytest.raises(wheels.WheelError):
        wheels.local(put(tmp_path, bytes(data)), label="a.whl")


def test_no_build(tmp_path: Path) -> None:
    """A wheel of something else is no build."""
    with pytest.raises(NotABuildError):
        wheels.local(put(tmp_path, packed({"numpy/__init__.py": b""})), label="a.whl")


def test_two_builds(tmp_path: Path) -> None:
    """A wheel with two packages does not say which is meant."""
    both = {"deep_gemm/__init__.py": b"", "vllm/third_party/deep_gemm/__init__.py": b""}
    with pytest.raises(TwoBuildsError):
        wheels.local(put(tmp_path, packed(both)), label="a.whl")


def test_a_proxy_that_cannot_be_used_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment's proxy is looked at before anything is asked."""
    monkeypatch.setenv("HTTPS_PROXY", "nonsense://x")

    with pytest.raises(wheels.WheelError, match=r"cannot be fetched: .*nonsense"):
        wheels.remote("https://example.org/a.whl")
