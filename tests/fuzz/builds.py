"""What a build says of itself: docstrings, schemas, bindings, the extension, the wheel."""

import contextlib
import io
import os
import random
import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest import mock

from elftools.common.exceptions import ELFError

from dgpin.api import docstring, parameters, schema, spelling, split, wheels
from dgpin.api.signature import Parameter, ParameterKind, Signature
from dgpin.api.static import assemble, binary, cpp
from dgpin.api.surface import Identity
from dgpin.build import contents, elf
from dgpin.errors import DgpinError
from dgpin.smoke import wheel
from tests.fuzz.target import CORPUS, Fault, Target

_SCRATCH = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: PTH112 - tempfile takes text


def _docstrings(data: bytes) -> None:
    text = data.decode(errors="replace")
    spelling.type_of(docstring.returned(text))
    for method in (False, True):
        for signature in docstring.parse(text, method=method):
            _spelled(signature)


def _schemas(data: bytes) -> None:
    for _, text in binary.found(data):
        parsed = schema.parse(text)
        if parsed is not None:
            _spelled(parsed.signature)
    parsed = schema.parse(data.decode(errors="replace")) if b"\0" not in data else None
    if parsed is not None:
        _spelled(parsed.signature)


def _spelled(signature: Signature) -> None:
    for parameter in signature.parameters:
        spelling.parameter(parameter)
        spelling.default_of(parameter.default or "")
        spelling.is_literal(parameter.default)
    names = [parameter.name for parameter in signature.parameters]
    if len(names) == len(set(names)):
        same = parameters.compare(signature, signature, parameters.Comparable())
        assert not list(same), "a signature differs from itself"


def _bindings(data: bytes) -> None:
    identity = Identity(label="fuzz", digest="")
    vars(assemble)["_extension"].cache_clear()  # what was read before says nothing of the code now
    assemble.surface({}, {"csrc/python_api.cpp": data}, identity=identity)


def _elf(data: bytes) -> None:
    with contextlib.suppress(DgpinError):
        elf.read(data, name="_C.so")
    with _scratch() as directory:
        path = directory / "libtorch.so"
        path.write_bytes(data)
        elf.absent(("touch", "_ZN3c105ErrorC1Ev"), [path])


def _wheels(data: bytes) -> None:
    """Unpack a wheel in each way that dgpin has; nothing may land beside the cache."""
    with _scratch() as directory, mock.patch.dict(os.environ, DGPIN_CACHE_DIR=f"{directory}/cache"):
        path = directory / "a" / "deep_gemm-1-py3-none-any.whl"
        path.parent.mkdir()
        path.write_bytes(data if data.startswith(b"PK") else _packed(data))
        with contextlib.suppress(DgpinError):
            wheels.local(path, label="a.whl")
        with contextlib.suppress(DgpinError):
            vars(wheel)["_unpacked"](path, label="a.whl")
        with contextlib.suppress(DgpinError):
            found = contents.open_path(path)
            for name in sorted(found.files)[:20]:
                found.read(name)
        outside = {each.name for each in directory.iterdir()} - {"a", "cache"}
        assert not outside, f"a member landed outside: {outside}"
        kept = {each.name for each in directory.joinpath("cache").glob("*")}
        kept |= {each.name for each in directory.glob("cache/unpacked/*") if not _is_entry(each)}
        assert kept <= {"api", "unpacked", "smoke"}, f"a member landed elsewhere: {kept}"
        assert not [p for p in directory.rglob("*") if p.is_symlink()], "a link was unpacked"


def _is_entry(path: Path) -> bool:
    return path.is_dir() and re.fullmatch(r"[0-9a-f]{64}", path.name) is not None


def _packed(data: bytes) -> bytes:
    """Return a whole wheel of the lines `name=content`; a name that begins with `@` is a link."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for line in data.split(b"\n")[:20]:
            name, _, content = line.partition(b"=")
            info = zipfile.ZipInfo(name.decode(errors="replace").removeprefix("@") or "x")
            if name.startswith(b"@"):
                info.external_attr = 0o120777 << 16
            with contextlib.suppress(UnicodeEncodeError, ValueError), mock.patch("warnings.warn"):
                archive.writestr(info, content)
    return out.getvalue()


_STEPS = (b"../", b"../../", b"../../../../", b"/", b"./", b"deep_gemm/", b"third_party/", b"x")


def _other_path(data: bytes, chance: random.Random) -> bytes:
    """Put a step into a member's name, or a member twice; an archive of bytes stays as it is."""
    if data.startswith(b"PK"):
        return data
    lines = data.split(b"\n")
    which = chance.randrange(len(lines))
    name, equals, content = lines[which].partition(b"=")
    if chance.random() < 0.2:
        lines.insert(chance.randrange(len(lines) + 1), lines[which])
    else:
        places = [0, *(index + 1 for index, byte in enumerate(name) if byte == ord("/"))]
        place = chance.choice(places)
        name = name[:place] + chance.choice(_STEPS) + name[place:]
        lines[which] = (b"@" if chance.random() < 0.1 else b"") + name + equals + content
    return b"\n".join(lines)


@contextlib.contextmanager
def _scratch() -> Iterator[Path]:
    directory = Path(tempfile.mkdtemp(prefix="dgpin-fuzz-", dir=_SCRATCH))
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _slash_first(words: tuple[str, ...]) -> tuple[Parameter, ...]:
    """Take it for granted that something stands before `/`."""
    found: list[Parameter] = []
    for word in words:
        if word == "/":
            found[-1] = Parameter(name=found[-1].name, kind=ParameterKind.POSITIONAL_ONLY)
        else:
            found.append(Parameter(name=word.partition(":")[0]))
    return tuple(found)


def _unnamed_schema(text: str) -> schema.Schema | None:
    """Take it for granted that what stands before the parentheses is a name."""
    cut = split.parenthesised(text)
    if cut is None or not cut[2].startswith("->"):
        return None
    space, _, name = cut[0].rpartition("::")
    assert not name.endswith("."), "an overload without a name"
    return schema.Schema(namespace=space, name=name, overload="", signature=Signature())


def _first_two(_reader: object, what: str, given: Sequence[object], _scope: object) -> None:
    """Take it for granted that a class has a scope and a name."""
    if what.partition("<")[0].endswith("class_"):
        _ = given[0], given[1]


def _unbounded(archive: zipfile.ZipFile, _label: str) -> tuple[str, list[zipfile.ZipInfo]]:
    """Take every member, wherever it would land."""
    members = [i for i in archive.infolist() if i.filename.startswith("deep_gemm/")]
    return "", [i for i in members if not i.is_dir()]


def _without_bloom() -> bytes:
    """Return an extension whose hash table has a bloom filter of no words."""
    data = bytearray((CORPUS / "elf" / "gnu").read_bytes())
    data[352] = 0
    return bytes(data)


DOCSTRINGS = Target(
    name="docstrings",
    read=_docstrings,
    words=(
        *("f(", "self", "->", "Overloaded function.", "\n1. ", "*args", "**kwargs", "/", "*"),
        *("Optional[", "Union[", "Annotated[", "<x at 0x7f>", " = ", "arg0", "torch.Tensor"),
    ),
    fault=Fault(
        what="`/` is taken to stand behind a parameter",
        place=docstring,
        name="_parameters",
        wrong=_slash_first,
        trigger=b"f(/, a: int) -> None\n",
    ),
)
SCHEMAS = Target(
    name="schemas",
    read=_schemas,
    words=("->", "Tensor", "Tensor(a!)", "int[3]", "float?", "::", ".", "*", "=", "\x00", "()"),
    fault=Fault(
        what="an overload without a name is taken for one",
        place=schema,
        name="parse",
        wrong=_unnamed_schema,
        trigger=b"gemm.(Tensor a) -> Tensor",
    ),
)
BINDINGS = Target(
    name="bindings",
    read=_bindings,
    words=(
        *("PYBIND11_MODULE(", "TORCH_LIBRARY(", "m.def(", "py::class_<", "py::enum_<", "py::init<"),
        *(
            "py::arg(",
            "py::kw_only()",
            "py::overload_cast<",
            "m.attr(",
            "def_submodule(",
            "[](",
            "&",
        ),
        *(
            "std::optional<",
            "std::tuple<",
            "torch::Tensor",
            "#if X\n",
            "#else\n",
            "#endif\n",
            'R"(',
        ),
    ),
    fault=Fault(
        what="a class is taken to have a scope and a name",
        place=cpp.Reader,
        name="_class",
        wrong=_first_two,
        trigger=b"PYBIND11_MODULE(_C, m) { py::class_<T>(m); }",
    ),
)
ELF = Target(
    name="elf",
    read=_elf,
    longest=16384,
    fault=Fault(
        what="only some of what pyelftools raises is caught",
        place=elf,
        name="_UNREADABLE",
        wrong=(ELFError, ValueError, KeyError, AttributeError, UnicodeDecodeError),
        trigger=_without_bloom(),
    ),
)
WHEELS = Target(
    name="wheels",
    read=_wheels,
    change=_other_path,
    words=(
        "../",
        "deep_gemm/",
        "__init__.py=",
        "third_party/",
        "/",
        "@",
        "\n",
        ".so",
        ".dist-info/",
    ),
    fault=Fault(
        what="members are not held to the directory",
        place=wheels,
        name="_members",
        wrong=_unbounded,
        trigger=b"deep_gemm/__init__.py=\ndeep_gemm/../../../../x=y",
    ),
)
