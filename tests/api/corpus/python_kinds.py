"""Kinds of change in pure Python."""

from tests.api.corpus.case import case

HEAD = """
import contextlib, enum, functools, os, typing
from typing import Optional, Union
"""

BREAKING = (
    case(
        "parameter in front of *args",
        "def vb(a, *args): ...",
        "def vb(a, taken=None, *args): ...",
        "parameter-inserted vb taken",
    ),
    case("function removed", "def gone(a): ...", "", "symbol-removed gone"),
    case(
        "function renamed, its alias stays",
        "def old_gemm(x): ...\ngemm_nt_old = old_gemm",
        "def gemm_nt_old(x): ...",
        "symbol-renamed old_gemm",
    ),
    case(
        "function renamed, name and signature say so",
        "def quantize_rows(rows, scale_format): ...",
        "def quantise_rows(rows, scale_format): ...",
        "symbol-renamed quantize_rows",
    ),
    case(
        "function replaced by another of a like name",
        "def pack_scales(first, second): ...",
        "def pack_scales_v2(left, right, third): ...",
        "symbol-removed pack_scales",
    ),
    case(
        "alias removed",
        "def kept(a): ...\nlegacy_name = kept",
        "def kept(a): ...",
        "alias-removed legacy_name",
    ),
    case(
        "parameter removed",
        "def pr(a, b, fast=False): ...",
        "def pr(a, b): ...",
        "parameter-removed pr fast",
    ),
    case(
        "required parameter removed",
        "def prr(a, b): ...",
        "def prr(a): ...",
        "parameter-removed prr b",
    ),
    case(
        "parameter renamed",
        "def pn(a, m_indices, c=1): ...",
        "def pn(a, grouped_layout, c=1): ...",
        "parameter-renamed pn m_indices",
    ),
    case(
        "two parameters renamed at once",
        "def pn2(a, x=1, y=2): ...",
        "def pn2(a, u=1, v=2): ...",
        "parameter-renamed pn2 x",
        "parameter-renamed pn2 y",
    ),
    case(
        "another parameter at the same place",
        "def look(a, situ_beta=None): ...",
        "def look(a, activation_alpha=1.0): ...",
        "parameter-removed look situ_beta",
    ),
    case(
        "parameters reordered",
        "def po(a, b=1, c=2): ...",
        "def po(a, c=2, b=1): ...",
        "parameter-reordered po b, c",
    ),
    case(
        "optional parameter inserted",
        "def pi(a, fast=False): ...",
        "def pi(a, count=0, fast=False): ...",
        "parameter-inserted pi count",
    ),
    case(
        "required parameter inserted",
        "def pir(a, b): ...",
        "def pir(a, n, b): ...",
        "parameter-added-required pir n",
    ),
    case(
        "required parameter appended",
        "def par(a): ...",
        "def par(a, b): ...",
        "parameter-added-required par b",
    ),
    case(
        "required keyword added",
        "def pak(a): ...",
        "def pak(a, *, b): ...",
        "parameter-added-required pak b",
    ),
    case(
        "default lost",
        "def pq(a, b=1): ...",
        "def pq(a, b): ...",
        "parameter-required pq b",
    ),
    case(
        "keyword only",
        "def ko(a, b=1): ...",
        "def ko(a, *, b=1): ...",
        "parameter-keyword-only ko b",
    ),
    case(
        "positional only",
        "def pp(a, b=1): ...",
        "def pp(a, b=1, /): ...",
        "parameter-positional-only pp a",
        "parameter-positional-only pp b",
    ),
    case(
        "*args gone",
        "def va(a, *args): ...",
        "def va(a): ...",
        "variadic-positional-removed va *args",
    ),
    case(
        "**kwargs gone",
        "def vk(a, **kwargs): ...",
        "def vk(a): ...",
        "variadic-keyword-removed vk **kwargs",
    ),
    case(
        "parameter swallowed by **kwargs",
        "def sw(a, fast=False, **kwargs): ...",
        "def sw(a, **kwargs): ...",
        "parameter-swallowed sw fast",
    ),
    case(
        "async no longer", "async def asy(a): ...", "def asy(a): ...", "calling-changed asy async"
    ),
    case("async now", "def syn(a): ...", "async def syn(a): ...", "calling-changed syn async"),
    case(
        "generator no longer",
        "def gen(a):\n    yield a",
        "def gen(a):\n    return [a]",
        "calling-changed gen generator",
    ),
    case("function becomes a constant", "def fc(a): ...", "fc = 3", "kind-changed fc"),
    case("constant becomes a function", "cf = 3", "def cf(a): ...", "kind-changed cf"),
    case("constant removed", "LIMIT_GONE = 128", "", "constant-removed LIMIT_GONE"),
    case("class removed", "class Gone:\n    def m(self): ...", "", "symbol-removed Gone"),
    case(
        "method removed",
        "class M1:\n    def m(self): ...\n    def n(self): ...",
        "class M1:\n    def n(self): ...",
        "class-member-removed M1.m",
    ),
    case(
        "method's parameter removed",
        "class M2:\n    def m(self, a, b=1): ...",
        "class M2:\n    def m(self, a): ...",
        "parameter-removed M2.m b",
    ),
    case(
        "constructor's parameter removed",
        "class M3:\n    def __init__(self, a, b=1): ...",
        "class M3:\n    def __init__(self, a): ...",
        "parameter-removed M3 b",
    ),
    case(
        "property removed",
        "class P1:\n    @property\n    def p(self): ...",
        "class P1:\n    x = 1",
        "class-member-removed P1.p",
    ),
    case(
        "property becomes a method",
        "class P2:\n    @property\n    def p(self): ...",
        "class P2:\n    def p(self): ...",
        "kind-changed P2.p",
    ),
    case(
        "property read-only",
        "class P3:\n    @property\n    def p(self): ...\n    @p.setter\n    def p(self, v): ...",
        "class P3:\n    @property\n    def p(self): ...",
        "property-read-only P3.p",
    ),
    case(
        "instance attribute removed",
        "class A1:\n    def __init__(self):\n        self.x = 1\n        self.y = 2",
        "class A1:\n    def __init__(self):\n        self.x = 1",
        "class-member-removed A1.y",
    ),
    case(
        "static method becomes a method",
        "class S1:\n    @staticmethod\n    def m(a): ...",
        "class S1:\n    def m(self, a): ...",
        "calling-changed S1.m static",
    ),
    case(
        "special method removed",
        "class Sp:\n    def __enter__(self): ...\n    def __exit__(self, *a): ...\n    x = 1",
        "class Sp:\n    x = 1",
        "class-member-removed Sp.__enter__",
        "class-member-removed Sp.__exit__",
    ),
    case(
        "base removed",
        "class Base1: ...\nclass Sub1(Base1):\n    x = 1",
        "class Base1: ...\nclass Sub1:\n    x = 1",
        "base-removed Sub1 deep_gemm.Base1",
    ),
    case(
        "inherited member lost",
        "class Base2:\n    def m(self): ...\nclass Sub2(Base2): ...",
        "class Base2: ...\nclass Sub2(Base2): ...",
        "class-member-removed Base2.m",
        "class-member-removed Sub2.m",
    ),
    case(
        "enum member removed",
        "class E1(enum.Enum):\n    X = 1\n    Y = 2",
        "class E1(enum.Enum):\n    X = 1",
        "enum-member-removed E1.Y",
    ),
    case(
        "name behind __getattr__ removed",
        "_lazy = {'lazy_one': 1, 'lazy_two': 2}\n"
        "def __getattr__(name):\n"
        "    if name in _lazy:\n        return _lazy[name]\n    raise AttributeError(name)",
        "_lazy = {'lazy_one': 1}\n"
        "def __getattr__(name):\n"
        "    if name in _lazy:\n        return _lazy[name]\n    raise AttributeError(name)",
        "constant-removed lazy_two",
    ),
    case(
        "wrapped function's parameter removed",
        "def _deco(f):\n    @functools.wraps(f)\n    def inner(*a, **k): return f(*a, **k)\n"
        "    return inner\n@_deco\ndef wr(a, b=1): ...",
        "def _deco(f):\n    @functools.wraps(f)\n    def inner(*a, **k): return f(*a, **k)\n"
        "    return inner\n@_deco\ndef wr(a): ...",
        "parameter-removed wr b",
    ),
    case(
        "context manager's parameter removed",
        "@contextlib.contextmanager\ndef cm(a, b=1):\n    yield",
        "@contextlib.contextmanager\ndef cm(a):\n    yield",
        "parameter-removed cm b",
    ),
)

RISKY = (
    case(
        "default changed",
        "def dc(a, mode='identity'): ...",
        "def dc(a, mode='softplus'): ...",
        "default-changed dc mode",
    ),
    case(
        "default None becomes a value",
        "def dn(a, b=None): ...",
        "def dn(a, b=0): ...",
        "default-changed dn b",
    ),
    case(
        "annotation changed",
        "def an(a: int): ...",
        "def an(a: str): ...",
        "annotation-changed an a",
    ),
    case(
        "return changed",
        "def rt(a) -> int: ...",
        "def rt(a) -> str: ...",
        "return-changed rt",
    ),
    case("constant changed", "LIMIT = 128", "LIMIT = 256", "constant-changed LIMIT"),
    case(
        "class attribute changed",
        "class Ca:\n    size = 1",
        "class Ca:\n    size = 2",
        "constant-changed Ca.size",
    ),
    case(
        "enum value changed",
        "class E2(enum.Enum):\n    X = 1",
        "class E2(enum.Enum):\n    X = 2",
        "enum-value-changed E2.X",
    ),
    case(
        "function becomes a class",
        "def FnCls(a): ...",
        "class FnCls:\n    def __init__(self, a): ...",
        "callable-kind-changed FnCls",
    ),
)

COMPATIBLE = (
    case(
        "parameter appended",
        "def ap(a): ...",
        "def ap(a, extra_one=None): ...",
        "parameter-added ap extra_one",
    ),
    case(
        "keyword added",
        "def ak(a): ...",
        "def ak(a, *, extra_two=1): ...",
        "parameter-added ak extra_two",
    ),
    case("default gained", "def og(a, b): ...", "def og(a, b=7): ...", "parameter-optional og b"),
    case(
        "keyword takes a place too",
        "def kw(a, *, wide=1): ...",
        "def kw(a, wide=1): ...",
        "parameter-kind-widened kw wide",
    ),
    case(
        "**kwargs gained", "def gk(a): ...", "def gk(a, **more): ...", "variadic-added gk **kwargs"
    ),
    case(
        "type widened",
        "def tw(a: int): ...",
        "def tw(a: Optional[int]): ...",
        "type-widened tw a",
    ),
    case(
        "base gained",
        "class Base3: ...\nclass Sub3:\n    x = 1",
        "class Base3: ...\nclass Sub3(Base3):\n    x = 1",
        "base-added Sub3 deep_gemm.Base3",
    ),
    case(
        "property settable",
        "class P4:\n    @property\n    def p(self): ...",
        "class P4:\n    @property\n    def p(self): ...\n    @p.setter\n    def p(self, v): ...",
        "property-settable P4.p",
    ),
)

QUIET = (
    case("body changed", "def q1(a): return 1", "def q1(a): return 2"),
    case("docstring changed", "def q2(a):\n    'one'", "def q2(a):\n    'two'"),
    case("private function gone", "def _q3(a): ...", ""),
    case("library no longer imported", "import json", ""),
    case(
        "type spelled otherwise",
        "def q5(a: Optional[int], b: Union[int, str]): ...",
        "def q5(a: 'int | None', b: 'str | int'): ...",
    ),
    case("text quoted otherwise", "def q6(a='x'): ...", 'def q6(a="x"): ...'),
    case(
        "default with an address",
        "class _O: ...\ndef q7(a=_O()): ...",
        "class _O: ...\ndef q7(a=_O()): ...",
    ),
    case("keywords reordered", "def q8(a, *, b=1, c=2): ...", "def q8(a, *, c=2, b=1): ..."),
    case("version changed", "__version__ = '2.6.1'", "__version__ = '2.8.0'"),
    case("number spelled otherwise", "def q9(a=1.0): ...", "def q9(a=1.00): ..."),
    case(
        "attribute set by a method that the constructor calls",
        "class Q11:\n    def __init__(self): self.x = 1",
        "class Q11:\n    def __init__(self): self._fill()\n    def _fill(self): self.x = 1",
    ),
    case(
        "attribute set by the base's constructor",
        "class Q12:\n    def __init__(self): self.x = 1\n"
        "class Q13(Q12):\n    def __init__(self): self.x = 2",
        "class Q12:\n    def __init__(self): self.x = 1\n"
        "class Q13(Q12):\n    def __init__(self): super().__init__()",
    ),
    case("set in another order", "Q10 = {'b', 'a'}", "Q10 = {'a', 'b'}"),
)

CASES = (*BREAKING, *RISKY, *COMPATIBLE, *QUIET)
