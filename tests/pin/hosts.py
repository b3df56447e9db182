"""Small hosts and facts for the tests of `dgpin.pin`."""

from collections.abc import Mapping

from dgpin import config
from dgpin.config import Config
from dgpin.pin.facts import Fact, Facts
from dgpin.pin.plan import Target
from dgpin.pin.sites import Reading, read_sites
from dgpin.verdict import Place

OLD = "a1" * 20
NEW = "b2" * 20
REPO = "https://github.com/deepseek-ai/DeepGEMM"
FORK = "https://github.com/vllm-project/DeepGEMM"


def facts(commit: str = OLD, **values: str | tuple[str, ...]) -> Facts:
    """Return facts by name; `__` in a keyword stands for a dot."""
    named = {name.replace("__", "."): value for name, value in values.items()}
    return Facts(
        commit=commit,
        facts={
            name: Fact(name=name, value=value, origin=(Place(f"src/{name}", 1),))
            for name, value in named.items()
        },
    )


def configured(sites: str, watch: str = "", pin: str = "") -> Config:
    """Return a configuration from the bodies of its tables."""
    return config.parse(f"[pin]\n{pin}\n[sites]\n{sites}\n[watch]\n{watch}\n", source="dgpin.toml")


def reading(files: Mapping[str, str], sites: str, watch: str = "", pin: str = "") -> Reading:
    """Read files given as text."""
    data = {path: text.encode("utf-8", "surrogateescape") for path, text in files.items()}
    return read_sites(configured(sites, watch, pin), data.get)


def target(new: Facts | None = None, *, old: Facts | None = None, repo: str = REPO) -> Target:
    """Return a target with facts that have defaults."""
    return Target(repo=repo, old=old or facts(OLD), new=new or facts(NEW))
