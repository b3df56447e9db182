"""setup.py, read and never run."""

import textwrap

import pytest

from dgpin.pin.setup_reader import Setup, Word, read
from dgpin.verdict import Place


def setup(text: str) -> Setup:
    return read(textwrap.dedent(text))


def texts(words: tuple[Word, ...]) -> list[str]:
    return [word.text for word in words]


def test_machine_directories_are_left_out() -> None:
    """The toolkit's and torch's directories are the machine's, the others the source's."""
    found = setup(
        """
        dirs = [f'{CUDA_HOME}/include', 'deep_gemm/include/', './third-party/x/include']
        ext = CUDAExtension(name='deep_gemm._C', sources=['csrc/a.cpp'],
                            include_dirs=dirs + cpp_extension.include_paths(), libraries=['cudart'])
        """
    )

    assert ["deep_gemm/include", "third-party/x/include"] == texts(found.includes)
    assert (Word("cudart", 4),) == found.libraries
    assert Word("deep_gemm._C", 3) == found.name
    assert () == found.unread


@pytest.mark.parametrize(
    "directory",
    [
        "os.path.join(root, 'a', 'include')",
        "f'{root}/a/include'",
        "str(here / 'a' / 'include')",
        "str(here / base / 'include')",
        "root + '/a/include'",
        "'b/../a/include'",
    ],
)
def test_spellings_of_a_directory(directory: str) -> None:
    """A directory is the same however the file's own directory is written before it."""
    found = setup(
        f"""
        root = os.path.dirname(os.path.realpath(__file__))
        here = Path(__file__).resolve().parent
        base = 'a'
        CUDAExtension(name='x', sources=['a.cpp'], include_dirs=[{directory}])
        """
    )

    assert ["a/include"] == texts(found.includes)


def test_unread_directory() -> None:
    """A directory that only a run would tell is named with its line, and not guessed."""
    found = setup(
        """
        CUDAExtension(
            name='x',
            sources=['a.cpp'],
            include_dirs=['a', find_includes()],
        )
        """
    )

    assert ["a"] == texts(found.includes)
    assert (Place("setup.py", 5),) == found.unread


def test_lists_that_grow() -> None:
    """append, extend and += belong to the list, under a condition as well."""
    found = setup(
        """
        flags = ['-std=c++17']
        if RUNTIME:
            flags.append('-DRUNTIME')
        flags += ['-O3']
        libraries = ['cudart']
        libraries.extend(['nvrtc'])
        CUDAExtension('x', ['a.cpp'], extra_compile_args={'cxx': flags, 'nvcc': ['-std=c++20']},
                      libraries=[*libraries, 'cuda'])
        """
    )

    assert {"-std=c++17", "-DRUNTIME", "-O3"} == set(texts(found.flags))
    assert ["cudart", "nvrtc", "cuda"] == texts(found.libraries)
    assert ["a.cpp"] == texts(found.sources)


def test_environment_defaults() -> None:
    """The defaults of environment variables are part of the recipe."""
    found = setup(
        """
        FORCE = int(os.getenv('DG_FORCE_BUILD', '0')) == 1
        LOCAL = os.environ.get('DG_USE_LOCAL_VERSION', '1')
        HOME = os.environ.get('CUDA_HOME')
        """
    )

    assert ["DG_FORCE_BUILD=0", "DG_USE_LOCAL_VERSION=1"] == texts(found.environment)


@pytest.mark.parametrize(
    "text",
    [
        "CUDAExtension(name='x', sources=[], py_limited_api=True)",
        "flags = ['-DPy_LIMITED_API=0x030a0000']",
    ],
)
def test_limited_api(text: str) -> None:
    """An extension for every Python says so by its keyword or by its macro."""
    assert Place("setup.py", 1) == read(text + "\nCUDAExtension(name='x', sources=[])").limited_api


def test_no_extension() -> None:
    """A setup.py from before there was an extension says nothing about one."""
    found = setup("setuptools.setup(name='deep_gemm', packages=['deep_gemm'])")

    assert (None, (), ()) == (found.name, found.sources, found.includes)


def test_a_name_that_means_itself() -> None:
    """A circle of names ends."""
    assert () == setup("a = b\nb = a\nCUDAExtension(name='x', include_dirs=[a])").includes


def test_a_later_assignment_wins() -> None:
    """Of two plain assignments the later one holds."""
    found = setup(
        """
        libraries = ['cuda']
        libraries = ['cudart']
        CUDAExtension('x', ['a.cpp'], libraries=libraries)
        """
    )

    assert ["cudart"] == texts(found.libraries)
    assert {} == found.doubts


def test_doubts() -> None:
    """What an `if` decides, or only a run tells, is named with its line."""
    found = setup(
        """
        libraries = ['cudart']
        if os.getenv('NVRTC'):
            libraries.append('nvrtc')
        CUDAExtension('x', sources=glob('csrc/*.cpp'), libraries=libraries,
                      extra_compile_args=['-O3', *more])
        """
    )

    assert {
        "sources": (Place("setup.py", 5),),
        "libraries": (Place("setup.py", 4),),
        "flags": (Place("setup.py", 6),),
    } == found.doubts


def test_names_of_a_function() -> None:
    """Lists that the function around the extension makes are followed."""
    found = setup(
        """
        def extensions():
            sources = ['a.cpp']
            return [CUDAExtension(name='x', sources=sources)]
        """
    )

    assert ["a.cpp"] == texts(found.sources)


@pytest.mark.parametrize("text", ["x = '\0'", "x = " + "(" * 5_000 + ")" * 5_000])
def test_what_no_parser_takes_is_no_python(text: str) -> None:
    """A zero byte and endless brackets are faults of the file."""
    with pytest.raises(SyntaxError):
        read(text)


@pytest.mark.filterwarnings("error")
def test_python_s_warnings_about_the_source_are_not_told() -> None:
    """An escape that Python does not know is the source's own affair."""
    assert () == read("x = '\\d'\n").sources
