"""What `dgpin smoke` answers before anything runs."""

from pathlib import Path

import pytest

from dgpin.cli.app import main


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    """`--list` names every check with what it would have caught, and needs no torch."""
    code = main(["smoke", "--list"])

    out = capsys.readouterr().out
    assert 0 == code
    assert "zero_meta_n1_b1024" in out
    assert "the schedule of an all-empty batch reads past shared memory" in out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--arch", "sm_80"], "--arch sm_80: there are no checks for it"),
        (["--expect", "next_n5"], "--expect next_n5: no check knows it"),
        (["--level", "9"], "'--level'"),
        (["--level", "0", "--against", "x"], "--against compares what runs, and level 0 runs"),
        (["--python", "/nonexistent/python"], "--python /nonexistent/python: there is no such"),
        (["-o", "html"], "this command has no form `html`"),
    ],
)
def test_usage(
    words: list[str],
    told: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """What was asked for wrongly is told before anything is run, with exit code 2."""
    monkeypatch.chdir(tmp_path)

    assert 2 == main(["smoke", *words])
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ('expect = ["next_n5"]', "--expect next_n5: no check knows it"),
        ('expect = "next_n4"', "[smoke] has one key, `expect`, a list of names"),
        ("level = 2", "[smoke] has one key, `expect`, a list of names"),
    ],
)
def test_configuration(
    table: str,
    told: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """`[smoke]` of dgpin.toml is read, and what it cannot mean is told."""
    sites = "[sites]\n\"pin.txt\" = ['<commit>']\n"
    (tmp_path / "dgpin.toml").write_text(f"{sites}[smoke]\n{table}\n")
    monkeypatch.chdir(tmp_path)

    assert 2 == main(["smoke"])
    assert told in capsys.readouterr().err
