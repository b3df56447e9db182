"""What an interpreter would import as deep_gemm, asked of a real one."""

import base64
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from dgpin.pin import environment
from dgpin.pin.environment import Environment, Evidence, Owner, ProbeError
from dgpin.pin.environment_check import judge
from dgpin.verdict import Verdict
from tests.example.deepgemm import sources

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(name="site")
def _site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory that the interpreter looks into before its own packages."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.setenv("PYTHONPATH", str(site))
    return site


def put(site: Path, name: str, *, into: str = "deep_gemm") -> Path:
    """Copy the package of one of the example's commits as an installation would."""
    target = site / into
    for path, text in sources()[name].items():
        if path.startswith("deep_gemm/"):
            file = target / path.removeprefix("deep_gemm/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    return target


def claim(site: Path, name: str, version: str, *paths: Path, **files: str) -> None:
    """Write the metadata of a distribution that says it installed these files."""
    info = site / f"{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = []
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                digest = base64.urlsafe_b64encode(hashlib.sha256(file.read_bytes()).digest())
                relative = file.relative_to(site).as_posix()
                lines.append(f"{relative},sha256={digest.decode().rstrip('=')},1\n")
    (info / "RECORD").write_text("".join(lines))
    for file_name, text in files.items():
        (info / f"{file_name}.json").write_text(text)


def read() -> Environment:
    return environment.read(sys.executable)


def verdicts(found: Environment, **options: Any) -> dict[str, Verdict]:
    return {row.rule: row.verdict for row in judge(found, **options)}


def test_installed(site: Path) -> None:
    """A plain installation: where it is, whose, its version and its architectures."""
    copy = put(site, "sm120")
    claim(site, "deep_gemm", "2.6.1", copy)

    found = read().installed

    assert found is not None
    assert copy.resolve() == found.directory
    assert (Owner(name="deep_gemm", version="2.6.1"),) == found.owners
    assert "2.6.1" == found.version
    assert ("sm_90", "sm_100", "sm_120") == found.arches
    assert "fp8_m_grouped_gemm_nt_masked" in environment.exports(found)


def test_nothing_is_imported(site: Path) -> None:
    """A deep_gemm that does something when it is imported does not do it."""
    trap = site / "trap"
    initial = put(site, "old") / "__init__.py"
    initial.write_text(f"open({str(trap)!r}, 'w')\n")
    (site / "vllm" / "third_party").mkdir(parents=True)
    (site / "vllm" / "__init__.py").write_text(f"open({str(trap)!r}, 'w')\n")

    assert read().installed is not None
    assert not trap.exists()


def test_two_owners(site: Path) -> None:
    """Another package that writes into deep_gemm/ is a finding, and whose file is there is told."""
    copy = put(site, "old")
    claim(site, "deep_gemm", "2.6.1", copy)
    initial = copy / "__init__.py"
    initial.write_text("__version__ = '0.1'\n")
    claim(site, "other-kernels", "1.0", initial)

    found = read()

    [contested] = found.contested
    assert ("deep_gemm", "other-kernels") == contested.owners
    assert "other-kernels" == contested.holder
    rows = {row.rule: row for row in judge(found)}
    assert Verdict.FAIL is rows["owner"].verdict
    assert Verdict.FAIL is rows["contested"].verdict
    assert (
        "deep_gemm and other-kernels both installed 1 of the same files; "
        "now there: 1 of other-kernels"
    ) == rows["contested"].message
    assert str(initial.resolve()) == rows["contested"].places[0].path


def test_same_version_other_files(site: Path, tmp_path: Path, monkeypatch: Any) -> None:
    """Two installations of one version string are told apart by their files."""
    claim(site, "deep_gemm", "2.6.1", put(site, "old"))
    other = tmp_path / "other"
    claim_in = put(other, "sm120")
    claim(other, "deep_gemm", "2.6.1", claim_in)

    one = read().installed
    monkeypatch.setenv("PYTHONPATH", str(other))
    two = read().installed

    assert one is not None
    assert two is not None
    assert one.version == two.version
    assert one.content != two.content


def test_version_is_not_trusted(site: Path) -> None:
    """Without a trace of the commit the answer is that it cannot be known."""
    claim(site, "deep_gemm", "2.6.1", put(site, "old"))

    row = next(row for row in judge(read()) if row.rule == "commit")

    assert Verdict.UNKNOWN is row.verdict
    assert "several builds bear one version" in row.message


def test_only_vendored(site: Path) -> None:
    """With only the host's copy there is no top-level deep_gemm, and that is said."""
    copy = put(site, "sm120", into="vllm/third_party/deep_gemm")
    claim(site, "vllm", "0.29.0+g1234567", copy)

    found = read()

    assert None is found.installed
    assert ["vllm.third_party.deep_gemm"] == [each.name for each in found.vendored]
    assert (Owner(name="vllm", version="0.29.0+g1234567"),) == found.vendored[0].owners
    assert None is found.vendored[0].identity  # the host's version is not the copy's
    rows = {row.rule: row for row in judge(found)}
    assert "`import deep_gemm` fails here: there is only vllm.third_party.deep_gemm" == (
        rows["import"].message
    )


@pytest.mark.parametrize(("name", "verdict"), [("sm120", Verdict.PASS), ("old", Verdict.FAIL)])
def test_installed_before_vendored(site: Path, name: str, verdict: Verdict) -> None:
    """An installed copy that differs from the host's own hides it; an equal one does no harm."""
    put(site, name)
    put(site, "sm120", into="vllm/third_party/deep_gemm")

    assert verdict is verdicts(read())["import"]


def test_hidden(site: Path, tmp_path: Path, monkeypatch: Any) -> None:
    """The first directory of the path wins; the others are named."""
    put(site, "old")
    put(tmp_path / "later", "new")
    monkeypatch.setenv("PYTHONPATH", f"{site}:{tmp_path / 'later'}")

    found = read()

    assert (site / "deep_gemm").resolve() == (found.installed and found.installed.directory)
    assert [(tmp_path / "later" / "deep_gemm").resolve()] == [
        copy.directory for copy in found.hidden
    ]
    assert Verdict.FAIL is verdicts(found)["import"]


def test_nothing_there(site: Path) -> None:
    """Without any copy that is the finding."""
    assert site.is_dir()
    assert {"import": Verdict.FAIL} == verdicts(read())


def test_commit_from_pip(site: Path) -> None:
    """pip writes down the commit of an installation from git."""
    url = {
        "url": "https://github.com/deepseek-ai/DeepGEMM.git",
        "vcs_info": {"vcs": "git", "commit_id": COMMIT},
    }
    claim(site, "deep_gemm", "2.6.1", put(site, "old"), direct_url=json.dumps(url))

    found = read()

    assert found.installed is not None
    assert found.installed.identity is not None
    assert (COMMIT, Evidence.DIRECT_URL) == (
        found.installed.identity.commit, found.installed.identity.evidence,
    )  # fmt: skip
    assert Verdict.PASS is verdicts(found, pin=COMMIT)["commit"]
    assert Verdict.FAIL is verdicts(found, pin="f" * 40)["commit"]


@pytest.mark.parametrize(
    ("version", "commit"),
    [
        ("2.6.1+8b1392b", "8b1392b"),
        ("2.6.1+8b1392b.cu13", "8b1392b"),
        ("2.6.1+local", None),
        ("2.6.1+20260131", None),
        ("2.6.1+20260131.cu13", None),
        ("2.6.1+20260131a", "20260131a"),
    ],
)
def test_commit_from_the_version(site: Path, version: str, commit: str | None) -> None:
    """DeepGEMM's own builds put the short commit behind the version."""
    claim(site, "deep_gemm", version, put(site, "old"))

    found = read().installed

    assert found is not None
    assert commit == (found.identity and found.identity.commit)


def test_commit_from_a_build(site: Path) -> None:
    """A directory that dgpin built says what it was built from."""
    put(site, "old")
    (site / "fingerprint.json").write_text(
        json.dumps({"schema": 1, "components": {"commit": COMMIT}})
    )

    found = read().installed

    assert found is not None
    assert found.identity is not None
    assert Evidence.FINGERPRINT is found.identity.evidence


def test_commit_from_the_files(site: Path) -> None:
    """Files that equal those of a commit tell it, whatever the version says."""
    put(site, "port")
    (site / "deep_gemm" / "envs.py").write_text("persistent_envs = dict()\n")
    copy = read().installed
    assert copy is not None

    found = environment.identify(copy, {"a" * 40: blobs("new"), "b" * 40: blobs("port")})

    assert found.identity is not None
    assert ("b" * 40, Evidence.FILES) == (found.identity.commit, found.identity.evidence)


def test_changed_file_is_no_commits(site: Path) -> None:
    """One changed file and the copy is no commit's."""
    (put(site, "port") / "__init__.py").write_text("")
    copy = read().installed
    assert copy is not None

    assert None is environment.identify(copy, {"b" * 40: blobs("port")}).identity


def blobs(name: str) -> dict[str, str]:
    """Return git's id of every file of a commit."""
    return {
        path: hashlib.sha1(b"blob %d\0" % len(text.encode()) + text.encode()).hexdigest()
        for path, text in sources()[name].items()
    }


def test_binary_without_its_headers(site: Path) -> None:
    """A binary that compiles kernels whose headers did not travel along is a finding."""
    copy = put(site, "old")
    (copy / "_C.cpython-311-x86_64-linux-gnu.so").write_bytes(
        b"\x7fELF\0#include <deep_gemm/impls/sm90_fp8_gemm_1d1d.cuh>\n\0"
        b"#include <deep_gemm/impls/sm120_paged_mqa_logits.cuh>\n\0"
    )

    found = read()

    assert found.installed is not None
    assert ("sm120_paged_mqa_logits", "sm90_fp8_gemm_1d1d") == found.installed.wanted
    row = next(row for row in judge(found) if row.rule == "kernels")
    assert Verdict.FAIL is row.verdict
    assert "sm120_paged_mqa_logits" in row.message


def test_no_interpreter(tmp_path: Path) -> None:
    """A program that is no Python is told as such."""
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho no such thing >&2\nexit 1\n")
    program.chmod(0o755)

    with pytest.raises(ProbeError, match="no such thing"):
        environment.read(str(program))


def test_an_editable_installation_in_a_directory_with_a_space(
    tmp_path: Path, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pip writes the directory as a URL, in which a space is %20."""
    project = tmp_path / "a project"
    put(project, "new")
    url = json.dumps({"url": project.as_uri(), "dir_info": {"editable": True}})
    claim(site, "deep-gemm", "2.8.0", direct_url=url)
    monkeypatch.setenv("PYTHONPATH", f"{project}:{site}")

    (copy,) = environment.read(sys.executable).copies

    assert ["deep-gemm"] == [owner.name for owner in copy.owners]


def test_a_directory_of_the_path_that_cannot_be_read(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It holds nothing to import, as for Python itself; a file in its place does not either."""
    put(site, "new")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path / 'file'}:{tmp_path / 'gone'}:{site}")

    assert site / "deep_gemm" == environment.read(sys.executable).copies[0].directory
