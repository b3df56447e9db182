"""C++ source as a tree, and the Python that pybind11 makes of its types and defaults."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_SIMPLE = {
    "torch::Tensor": "torch.Tensor",
    "at::Tensor": "torch.Tensor",
    "Tensor": "torch.Tensor",
    "string": "str",
    "char": "str",  # a text of one; `const char*` is one of any length
    "wchar_t": "str",
    "char16_t": "str",
    "char32_t": "str",
    "string_view": "str",
    "bool": "bool",
    "float": "float",
    "double": "float",
    "long double": "float",
    "at::ScalarType": "torch.dtype",
    "c10::ScalarType": "torch.dtype",
    "torch::ScalarType": "torch.dtype",
    "torch::Dtype": "torch.dtype",
    "at::IntArrayRef": "tuple[int, ...]",
    "c10::IntArrayRef": "tuple[int, ...]",
    "torch::IntArrayRef": "tuple[int, ...]",
    "void": "None",
    "nullopt_t": "None",
    "monostate": "None",
}
_INTEGER = re.compile(r"(?:unsigned |signed )?(?:u?int(?:\d+_t)?|long|short|size_t|char)(?: \w+)*")
_DEFAULTS = {
    "nullopt": "None",
    "nullptr": "None",
    "none": "None",
    "true": "True",
    "false": "False",
    "kFloat": "torch.float32",
    "kFloat32": "torch.float32",
    "kBFloat16": "torch.bfloat16",
    "kHalf": "torch.float16",
    "kFloat16": "torch.float16",
    "kInt": "torch.int32",
    "kInt32": "torch.int32",
    "kLong": "torch.int64",
    "kInt64": "torch.int64",
    "kDouble": "torch.float64",
    "kFloat8_e4m3fn": "torch.float8_e4m3fn",
}
_NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?", re.IGNORECASE)
_LONGEST_TYPE = 1_000  # characters; a type that is longer is taken for one that is not known here
_LONGEST_TEXT = 16_384  # bytes of one node
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


@cache
def _parser() -> "Parser":
    import tree_sitter  # noqa: PLC0415 - only comparisons of text pay for it
    import tree_sitter_cpp  # noqa: PLC0415

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))


@lru_cache(maxsize=256)  # two commits share nearly all of their files
def parse(source: bytes) -> "Node":
    """Return the tree of a file; what the grammar cannot read stands in it as an error."""
    return _parser().parse(source).root_node


def text(node: "Node | None") -> str:
    """Return the node's own text; "" for one so long that it is neither a name nor a value."""
    if node is None or node.end_byte - node.start_byte > _LONGEST_TEXT:
        return ""
    return (node.text or b"").decode(errors="replace")


def descend(node: "Node") -> Iterator["Node"]:
    """Yield a node and all below it, in order."""
    stack = [node]
    while stack:
        here = stack.pop()
        yield here
        stack.extend(reversed(here.children))


def string(node: "Node | None") -> str | None:
    """Return a string literal's value, raw and concatenated ones too; None for another node."""
    if node is None:
        return None
    if node.type == "concatenated_string":
        parts = [string(child) for child in node.named_children if child.type != "comment"]
        return None if None in parts else "".join(part or "" for part in parts)
    if node.type == "raw_string_literal":
        return "".join(text(c) for c in node.children if c.type == "raw_string_content")
    if node.type != "string_literal":
        return None
    words = []
    for child in node.children:
        if child.type == "string_content":
            words.append(text(child))
        elif child.type == "escape_sequence":
            words.append(_ESCAPES.get(text(child)[1:], text(child)[1:]))
    return "".join(words)


def declared_names(declaration: "Node") -> Iterator[tuple[str, "Node | None", bool]]:
    """Yield the names that a statement declares, with what they are set to.

    The last of each tells that it is the name alone: no pointer, reference, array or binding.
    """
    for declarator in declaration.children_by_field_name("declarator"):
        value = declarator.child_by_field_name("value")
        plain = declarator.child_by_field_name("declarator") if value else declarator
        stack = [plain] if plain is not None else []
        while stack:
            node = stack.pop()
            if node.type == "identifier":
                yield text(node), value, node == plain
            stack.extend(node.named_children)


def arguments(call: "Node") -> list["Node"]:
    """Return a call's arguments, without comments."""
    listed = call.child_by_field_name("arguments")
    return [c for c in listed.named_children if c.type != "comment"] if listed is not None else []


def python_type(cpp: str) -> str:
    """Return how pybind11 would spell a C++ type; "" for one that is not known here."""
    if len(cpp) > _LONGEST_TYPE:
        return ""
    plain = re.sub(r"\b(?:const|static|inline|constexpr)\b", "", cpp)
    plain = re.sub(r"\s+", " ", plain.replace("&", " ").replace("*", " ")).strip()
    plain = re.sub(r"\bstd::", "", plain)
    if plain in _SIMPLE:
        return _SIMPLE[plain]
    if _INTEGER.fullmatch(plain):
        return "int"
    template = re.fullmatch(r"([\w:]+) ?<(.*)>", plain)
    if template is None:
        return ""
    name, inner = template.group(1).split("::")[-1], template.group(2)
    parts = [python_type(part) for part in template_arguments(inner)]
    if "" in parts:
        return ""
    return _container(name, parts)


def _container(name: str, parts: list[str]) -> str:
    if name == "optional":
        return f"{parts[0]} | None"
    if name in {"pair", "tuple"}:
        return f"tuple[{', '.join(parts)}]"
    if name in {"vector", "ArrayRef"}:
        return f"Sequence[{parts[0]}]"
    if name == "variant":
        return " | ".join(parts)
    return ""


def template_arguments(inner: str) -> list[str]:
    """Return what stands between the commas of `<…>`."""
    parts, depth, begin = [], 0, 0
    for index, char in enumerate(inner):
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(char, 0)
        if char == "," and depth == 0:
            parts.append(inner[begin:index].strip())
            begin = index + 1
    return [*parts, inner[begin:].strip()]


def python_default(node: "Node") -> str:
    """Return how pybind11 would print a default; the C++ itself where that is not known here."""
    if (literal := string(node)) is not None:
        return repr(literal)
    if node.type in {"call_expression", "initializer_list"}:
        return _made(node)
    plain = text(node)
    last = plain.split("::")[-1]
    if last in _DEFAULTS:
        return _DEFAULTS[last]
    number = plain.rstrip("fFuUlL")
    if _NUMBER.fullmatch(number):
        return repr(float(number)) if "." in number or "e" in number.lower() else number
    return plain


def _made(node: "Node") -> str:
    """Return a tuple, or the one value that a cast or an optional holds."""
    callee = text(node.child_by_field_name("function"))
    items = arguments(node) if node.type == "call_expression" else node.named_children
    values = [python_default(item) for item in items]
    if re.search(r"\bmake_(?:tuple|pair)|\b(?:tuple|pair)\b", callee) or not callee:
        return f"({values[0]},)" if len(values) == 1 else f"({', '.join(values)})"
    if re.search(r"\boptional\b|\bstring\b|static_cast", callee) and len(values) == 1:
        return values[0]
    if not values and "vector" in callee:
        return "[]"
    return "None" if not values and "optional" in callee else text(node)
