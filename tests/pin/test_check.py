"""`check` says of each row whether the sites agree and fit, with file and line."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from dgpin.pin.check import check
from dgpin.pin.facts import Facts
from dgpin.pin.host import Fit, Host
from dgpin.pin.pinned import read_pinned
from dgpin.pin.sites import read_sites
from dgpin.verdict import Row, Verdict
from tests.pin.hosts import FORK, NEW, OLD, REPO, configured, facts

SITES = "\"a\" = ['R=<repo>.git', 'PIN=<commit>']\n\"b\" = 'PIN=<commit>'"
GOOD = {"a": f"R={REPO}.git\nPIN={OLD}\n", "b": f"PIN={OLD}\n"}


def checked(
    tmp_path: Path,
    files: dict[str, str],
    *,
    sites: str = SITES,
    pin: str = "",
    known: Facts | None = None,
) -> list[Row]:
    """Check a host made of files, and return the findings."""
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    host, config = Host(root=tmp_path), configured(sites, pin=pin)
    fit = Fit(config=config, reading=read_sites(config, host.read))

    def search(texts: Iterable[str]) -> Iterator[tuple[str, int, str]]:
        for path, text in files.items():
            for number, line in enumerate(text.splitlines(), start=1):
                if any(wanted in line for wanted in texts):
                    yield path, number, line

    rows = check(host, fit, read_pinned(fit.reading), known, search=search)
    return [row for row in rows if row.verdict is Verdict.FAIL]


def test_sites_that_agree_have_no_finding(tmp_path: Path) -> None:
    """One repository and one commit everywhere is a pin."""
    assert checked(tmp_path, GOOD) == []


FOLLOW = f'follow = {{ "{REPO}" = "nv_dev", "{FORK}" = "dev" }}'
CMAKE = f"Declare(\n  PIN={OLD}\n  GIT_SHALLOW TRUE\n)\n"
CLONE = f"PIN={OLD}\ngit clone --recursive x\ngit checkout PIN\n"


@pytest.mark.parametrize(
    ("rule", "where", "changed", "pin"),
    [
        ("sites-agree", ["a:2", "b:1"], {"b": f"PIN={NEW}\n"}, ""),
        ("site-missing", ["b:1"], {"b": f"PINX={OLD}\n"}, ""),
        ("site-missing", ["b:1", "b:2"], {"b": f"PIN={OLD}\nPIN={OLD}\n"}, ""),
        ("configured-repo", ["a:1"], {}, f'repo = "{FORK}"'),
        ("commit-form", ["b:2", "b:3"], {"b": CMAKE}, ""),
        ("submodule-order", ["b:2", "b:3"], {"b": CLONE}, ""),
        ("comment", ["b:1"], {"b": f"# the dev branch\nPIN={OLD}\n"}, FOLLOW),
        ("gone-file", ["b:1"], {"b": f"# see tools/gone.sh\nPIN={OLD}\n"}, ""),
        ("checkout", [".deps/src"], {".deps/src/.git/HEAD": NEW}, 'checkouts = [".deps/src"]'),
    ],
)
def test_each_fault_is_one_finding_with_its_place(
    tmp_path: Path, rule: str, where: list[str], changed: dict[str, str], pin: str
) -> None:
    """A fault trips its own rule and no other, and is named with file and line."""
    (row,) = checked(tmp_path, GOOD | changed, pin=pin)

    assert (rule, where) == (row.rule, [str(place) for place in row.places])
    assert row.hint


@pytest.mark.parametrize(
    ("path", "cure"),
    [
        (".deps/deepgemm-src", "rm -rf .deps/deepgemm-*"),
        ("third party/DeepGEMM", "rm -rf 'third party/DeepGEMM'"),
        ("DeepGEMM", "rm -rf DeepGEMM"),
    ],
)
def test_the_cure_for_a_kept_copy_removes_that_copy(tmp_path: Path, path: str, cure: str) -> None:
    """CMake keeps more beside a source of its own; of another only the copy itself goes."""
    (row,) = checked(tmp_path, GOOD | {f"{path}/.git/HEAD": NEW}, pin=f"checkouts = ['{path}']")

    assert f"Before the next build: {cure}" == row.hint


def test_a_kept_copy_at_a_pin_of_few_digits_is_right(tmp_path: Path) -> None:
    """A short commit names the same source."""
    files = {"a": f"PIN={OLD[:7]}\n", "kept/.git/HEAD": OLD}

    found = checked(tmp_path, files, sites="\"a\" = 'PIN=<commit:7>'", pin='checkouts = ["kept"]')

    assert found == []


def test_a_kept_copy_beside_a_pin_without_a_commit_is_no_finding(tmp_path: Path) -> None:
    """A version does not say at which commit the copy should stand."""
    files = {"a": "PIN=2.6.1\n", "kept/.git/HEAD": OLD}

    found = checked(tmp_path, files, sites="\"a\" = 'PIN=<version>'", pin='checkouts = ["kept"]')

    assert found == []


def test_comments_that_contradict_each_other_are_a_finding(tmp_path: Path) -> None:
    """Two blocks beside two sites name two branches."""
    files = {
        "a": f"R={REPO}.git\n# the dev branch\nPIN={OLD}\n",
        "b": f"# the nv_dev branch\nPIN={OLD}\n",
    }

    (row,) = checked(tmp_path, files)

    assert "a:2 says dev; b:1 says nv_dev" in row.message


def test_an_update_after_the_checkout_is_right(tmp_path: Path) -> None:
    """The submodules follow the commit when they are updated afterwards."""
    text = CLONE + "git submodule update --init --recursive\n"

    assert checked(tmp_path, GOOD | {"b": text}) == []


def test_a_text_that_names_a_site_that_is_gone_is_a_finding(tmp_path: Path) -> None:
    """`path?` says that a site may be gone; then nothing should send people there."""
    sites = SITES + "\n\"tools/old.sh?\" = 'PIN=<commit>'"

    (row,) = checked(tmp_path, GOOD | {"doc": "run tools/old.sh\n"}, sites=sites)

    assert ("gone-file", "doc:1") == (row.rule, str(row.places[0]))


def test_the_configuration_may_name_a_file_that_may_be_absent(tmp_path: Path) -> None:
    """`path?` in dgpin.toml says so itself: it sends nobody there."""
    sites = SITES + "\n\"tools/old.sh?\" = 'PIN=<commit>'"

    assert checked(tmp_path, GOOD | {"dgpin.toml": sites}, sites=sites) == []


def test_a_clause_that_is_commented_out_is_none(tmp_path: Path) -> None:
    """A remark on GIT_SHALLOW is no GIT_SHALLOW."""
    text = f"Declare(\n  PIN={OLD}\n  # GIT_SHALLOW TRUE would not find it\n)\n"

    assert checked(tmp_path, GOOD | {"b": text}) == []


def test_a_branch_is_compared_as_it_is_told(tmp_path: Path) -> None:
    """A comment that names the followed branch is right, in any spelling of it."""
    follow = f'follow = {{ "{REPO}" = "SM-120" }}'
    files = GOOD | {"b": f"# the sm_120 branch\nPIN={OLD}\n"}

    assert checked(tmp_path, files, pin=follow) == []


def test_a_site_that_two_entries_read_is_one(tmp_path: Path) -> None:
    """What is said of the number of sites is true."""
    config = configured("\"a\" = ['PIN=<commit>', 'PIN=<commit>']")
    (tmp_path / "a").write_text(GOOD["a"])

    pinned = read_pinned(read_sites(config, Host(root=tmp_path).read))

    assert ["a:2"] == [str(place) for place in pinned.places("commit")]


@pytest.mark.parametrize("sites", ["\"gone.txt?\" = 'PIN=<commit>'", "\"a\" = 'R=<repo>.git'"])
def test_a_pin_that_no_site_states_is_a_finding(tmp_path: Path, sites: str) -> None:
    """Where nothing says which DeepGEMM is pinned, nothing is well."""
    (row,) = checked(tmp_path, GOOD, sites=sites)

    assert ("site-missing", "dgpin.toml") == (row.rule, str(row.places[0]))
    assert "no site states the pin" in row.message


def test_a_file_of_the_source_is_not_looked_for_in_the_host(tmp_path: Path) -> None:
    """A comment may name what lies in DeepGEMM."""
    text = f"# see deep_gemm/utils/layout.py and third-party/x/y.py\nPIN={OLD}\n"

    assert checked(tmp_path, GOOD | {"b": text}) == []


def test_a_source_without_recorded_submodules_is_a_finding(tmp_path: Path) -> None:
    """Each submodule that the source needs has a commit."""
    known = facts(submodules=("x/fmt", "x/cutlass"), fmt__commit="c" * 40)

    (row,) = checked(tmp_path, GOOD, known=known)

    assert ("submodules-recorded", True) == (row.rule, "x/cutlass" in row.message)


@pytest.mark.parametrize("name", ["DEEPGEMM_SRC_DIR", "VLLM_USE_PRECOMPILED"])
def test_a_variable_that_overrides_the_pin_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """What the environment puts in the place of the pin is said."""
    monkeypatch.setenv(name, "1")

    (row,) = checked(tmp_path, GOOD)

    assert name in row.message


def test_an_installed_package_that_wins_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host that vendors DeepGEMM takes the installed one first."""
    venv = tmp_path / "venv"
    (venv / "lib/python3.12/site-packages/deep_gemm").mkdir(parents=True)
    (tmp_path / "vllm/third_party").mkdir(parents=True)
    monkeypatch.setenv("VIRTUAL_ENV", str(venv))

    (row,) = checked(tmp_path, GOOD)

    assert "an installed deep_gemm wins" in row.message
