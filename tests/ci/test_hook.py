"""What other projects use of this repository: the hook and the action."""

from pathlib import Path

import yaml

from dgpin.cli.app import COMMANDS

ROOT = Path(__file__).parents[2]


def test_the_hook_runs_a_command_that_is_there() -> None:
    """pre-commit installs this package and runs its program, without file names."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())

    assert ["dgpin-check"] == [hook["id"] for hook in hooks]
    program, command = hooks[0]["entry"].split()
    assert ("dgpin", True) == (program, command in COMMANDS)
    assert hooks[0]["pass_filenames"] is False


def test_the_action_runs_a_command_that_is_there() -> None:
    """By default it asks what a machine without a GPU can tell."""
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    words = action["inputs"]["command"]["default"].split()

    assert words[0] in COMMANDS
    assert ["--skip", "build,smoke"] == words[1:]
