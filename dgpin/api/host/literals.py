"""Lists and dicts of the host, read entry by entry."""

import ast
from typing import TYPE_CHECKING

from dgpin.api.host.values import Api, Literal, Pack, Text, Value, Values, unique

if TYPE_CHECKING:
    from dgpin.api.host.evaluate import Evaluator


def lookup(e: "Evaluator", value: Literal | Pack, keys: Values, index: object) -> Values:
    """Return the entry of a dict or a list; every entry when the key is not known."""
    if isinstance(index, int) and not isinstance(index, bool):
        return item(e, value, index)
    texts = {key.text for key in keys if isinstance(key, Text)}
    if isinstance(value, Literal) and isinstance(value.node, ast.DictComp):
        return _of_each(e, value, value.node, texts)
    found: list[Value] = []
    for key, entry in entries(e, value):
        if not texts or texts & {k.text for k in key if isinstance(k, Text)}:
            found += entry
    return unique(found)


def _of_each(e: "Evaluator", value: Literal, node: ast.DictComp, texts: set[str]) -> Values:
    """Return the entry of `{name: getattr(x, name) for name in …}`: that of its own name."""
    found = e.values(node.value, value.scope, value.frame)
    named = [v for v in found if isinstance(v, Api) and v.path.rpartition(".")[2] in texts]
    others = [v for v in found if not isinstance(v, Api)]
    return unique([*named, *others]) if named else found


def entries(e: "Evaluator", value: Literal | Pack) -> list[tuple[Values, Values]]:
    """Return the keys and values of a dict; the items of a list have no keys."""
    if isinstance(value, Literal) and isinstance(value.node, ast.Dict):
        return [
            (e.values(k, value.scope, value.frame), e.values(v, value.scope, value.frame))
            for k, v in zip(value.node.keys, value.node.values, strict=True)
            if k is not None
        ]
    if isinstance(value, Literal) and isinstance(value.node, ast.DictComp):
        node = value.node
        return [
            (
                e.values(node.key, value.scope, value.frame),
                e.values(node.value, value.scope, value.frame),
            )
        ]
    return [((), item) for item in elements(e, value)]


def elements(e: "Evaluator", value: Value) -> list[Values]:
    """Return what iterating over a value gives."""
    if isinstance(value, Pack):
        return list(value.items)
    if not isinstance(value, Literal):
        return []
    node = value.node
    if isinstance(node, ast.Dict):
        return [key for key, _ in entries(e, value)]
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return [e.values(item, value.scope, value.frame) for item in node.elts]
    return []


def item(e: "Evaluator", value: Value, index: int) -> Values:
    """Return one item of a list or tuple."""
    items = elements(e, value)
    return items[index] if -len(items) <= index < len(items) else ()


def items(e: "Evaluator", values: Values, index: int) -> Values:
    """Return one item of each list or tuple."""
    return unique([v for value in values for v in item(e, value, index)])
