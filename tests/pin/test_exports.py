"""Variables that a build exports for DeepGEMM: is there a reader?"""

from collections.abc import Iterable, Iterator

import pytest

from dgpin.pin import exports
from dgpin.verdict import Place, Verdict
from tests.pin.hosts import OLD, reading

NAME = "DEEPGEMM_PYTHON_INTERPRETERS"
DOCKERFILE = (
    f"ARG PIN={OLD}\n# {NAME} lists the interpreters\nRUN export {NAME}=$(cat x) \\\n  && b\n"
)


def unread(other: str = "", dockerfile: str = DOCKERFILE) -> list[tuple[str, tuple[Place, ...]]]:
    """Return the messages about a host of a Dockerfile and another file, with their places."""
    texts = {"Dockerfile": dockerfile, "other": other}

    def search(wanted: Iterable[str]) -> Iterator[tuple[str, int, str]]:
        for path, text in texts.items():
            for number, line in enumerate(text.splitlines(), 1):
                if any(each in line for each in wanted):
                    yield path, number, line

    read = reading({"Dockerfile": dockerfile}, "\"Dockerfile\" = 'PIN=<commit>'")
    rows = list(exports.unread(read, search))
    assert all(row.verdict is Verdict.PASS and row.hint for row in rows)
    return [(row.message, row.places) for row in rows]


@pytest.mark.parametrize(
    "other",
    [
        "",
        f"# {NAME}: paths, with colons\n",
        f"// {NAME}\n",
        f"ENV {NAME}=\n",
        "export DEEPGEMM_X=1",
    ],
)
def test_a_variable_without_a_reader(other: str) -> None:
    """Comments and other places that set it are no readers."""
    message = f"{NAME} is exported, and no file of the host reads it"

    assert [(message, (Place("Dockerfile", 3),))] == unread(other)


@pytest.mark.parametrize(
    "other",
    [
        f'if(NOT "$ENV{{{NAME}}}" STREQUAL "")',
        f'pythons = os.environ.get("{NAME}")',
        f'pythons = os.environ["{NAME}"].split(":")',
        f"for python in ${NAME}; do",
        f'prefix="${{{NAME}:-/tmp}}"',
        f'std::getenv("{NAME}")',
        'names = [name for name in os.environ if name.startswith("DEEPGEMM_")]',
        'value = os.environ[f"DEEPGEMM_PYTHON_{what}"]',
        f'export {NAME}="${NAME}:/usr/bin/python3"',
        f"docker run -e {NAME} image",
    ],
)
def test_a_variable_with_a_reader(other: str) -> None:
    """In whatever language it is read, alone or with all that begin so, nothing is said."""
    assert [] == unread(other)


@pytest.mark.parametrize(
    "dockerfile",
    [
        f"ARG PIN={OLD}\nENV {NAME}=/opt\n",
        f"ARG PIN={OLD}\nRUN export DG_JIT_CACHE_DIR=/x && export VLLM_USE_DEEP_GEMM=0\n",
        f"ARG PIN={OLD}\n# export {NAME}=1\n",
        f'ARG PIN={OLD}\nRUN export {NAME}=x && for p in "${NAME}"; do b; done\n',
    ],
)
def test_what_is_not_the_hosts_to_read(dockerfile: str) -> None:
    """An image's variables, DeepGEMM's own, the host's switches and a comment are left alone."""
    assert [] == unread(dockerfile=dockerfile)


def test_the_host_is_not_searched_where_a_site_reads_it() -> None:
    """A check that finds the reader beside the pin costs nothing."""
    text = f"{DOCKERFILE}RUN echo ${NAME}\n"

    def search(_texts: Iterable[str]) -> Iterator[tuple[str, int, str]]:
        raise AssertionError

    read = reading({"Dockerfile": text}, "\"Dockerfile\" = 'PIN=<commit>'")
    assert [] == list(exports.unread(read, search))
