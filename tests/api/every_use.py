"""A host that reaches the API in every form; `#> form answer` says what each line is.

The answer is what the move from A to B of `surfaces` does to it: `ok`, or a consequence, with the
exception after a colon. `TypeError` there stands for what the binding raises for a bad call.
"""

MAIN = """\
import contextlib
import functools
import importlib
import importlib.util
import inspect
import sys
from functools import partial
from inspect import signature

import pytest
import torch

import deep_gemm  #> import ok
import deep_gemm as dg  #> import ok
import deep_gemm.utils.math  #> import ok
import host.third_party.deep_gemm as vendored  #> import ok
from deep_gemm import appended, kept as keep  #> import ok; import ok
from deep_gemm import gone  #> import raises at import:ImportError
from deep_gemm.utils.extra import thing  #> import raises at import:ModuleNotFoundError
from host.third_party import deep_gemm as vendored_too  #> import ok
from host.third_party.deep_gemm.utils import math as layout  #> import ok

try:
    from deep_gemm import gone as guarded_import  #> import silently off
except ImportError:
    guarded_import = None

try:
    from deep_gemm import gone as chosen  #> import silently the older name
except ImportError:
    from deep_gemm import kept as chosen  #> import ok

with contextlib.suppress(ImportError):
    from deep_gemm import gone as suppressed  #> import silently off

_dg = importlib.import_module("deep_gemm")  #> dynamic-import ok
_vendored = importlib.import_module("host.third_party.deep_gemm")  #> dynamic-import ok
_math = importlib.import_module(f"{_dg.__name__}.utils.math")  #> dynamic-import ok
_dunder = __import__("deep_gemm")  #> dynamic-import ok
has_it = importlib.util.find_spec("deep_gemm") is not None  #> find-spec ok
has_extra = importlib.util.find_spec("deep_gemm.utils.extra") is not None  #> find-spec silently off

_gone = getattr(_dg, "gone", None)  #> getattr silently off
_kept = getattr(_dg, "kept", None)  #> getattr ok
_new_first = getattr(_dg, "new_name", None) or getattr(_dg, "old_name", None)  #> getattr ok; getattr ok
_old_first = getattr(_dg, "old_name", None) or getattr(_dg, "new_name", None)  #> getattr silently the older name; getattr ok
_nested = getattr(_dg, "gone", getattr(_dg, "kept", None))  #> getattr silently the older name; getattr ok
_loud = getattr(_dg, "gone")  #> getattr raises at import:AttributeError

if hasattr(_dg, "gone"):  #> hasattr silently off
    _dg.gone(1)  #> call ok
if hasattr(_dg, "kept"):  #> hasattr ok
    _dg.kept(1, 2)  #> call ok

_impl = None
_loud_impl = None
_lazy = None
_again = None


def _missing():
    raise RuntimeError("no backend")


def load():
    global _impl, _loud_impl, _lazy
    handle = importlib.import_module("deep_gemm")  #> dynamic-import ok
    _impl = getattr(handle, "lost_keyword", None)  #> getattr ok
    _loud_impl = getattr(handle, "gone", None)  #> getattr silently off
    _lazy = getattr(handle, "old_name", None)  #> getattr silently off
    return handle


def load_once():
    global _again
    if _again is not None or _impl is not None:
        return
    _again = getattr(dg, "gone", None)  #> getattr silently off


def wrapper(*args, **kwargs):
    if _loud_impl is None:
        return _missing()
    return _loud_impl(*args, **kwargs)  #> call raises at the call:RuntimeError


def quiet(x):
    if _lazy is None:
        return None
    return _lazy(x)  #> call ok


def unasked(x):
    return _lazy(x)  #> call raises at the call:TypeError!


def adds(*args, **kwargs):
    return _impl(*args, fast=True, **kwargs)  #> call raises at the call:TypeError


def drops(*args, **kwargs):
    if "fast" in kwargs:
        del kwargs["fast"]
    return _impl(*args, **kwargs)  #> call ok


def pops(*args, **kwargs):
    kwargs.pop("fast", None)
    return _impl(*args, **kwargs)  #> call ok


def hands_on(*args, **kwargs):
    return _impl(*args, **kwargs)  #> call ok


def hands_on_again(x, **kwargs):
    return hands_on(x, **kwargs)  #> call ok


def outer_callers(x):
    hands_on_again(x)  #> call ok
    hands_on_again(x, fast=True)  #> call raises at the call:TypeError


def callers(x):
    drops(x, fast=True)  #> call ok
    pops(x, fast=True)  #> call ok
    hands_on(x)  #> call ok
    hands_on(x, fast=True)  #> call raises at the call:TypeError
    wrapper(x)  #> call ok


def positions(x):
    dg.kept(x, 1, 2)  #> call ok
    dg.kept(a=x, b=1, c=2)  #> call ok
    dg.lost_keyword(x, False)  #> call raises at the call:TypeError
    dg.lost_keyword(x, fast=False)  #> call raises at the call:TypeError
    dg.needs_more(x)  #> call raises at the call:TypeError
    dg.renamed_keyword(x, 1)  #> call ok
    dg.renamed_keyword(x, m_indices=1)  #> call raises at the call:TypeError
    dg.inserted(x, False)  #> call silently another value
    dg.inserted(x, flag=False)  #> call ok
    dg.other_default(x)  #> call silently another value
    dg.other_default(x, mode="a")  #> call ok
    dg.appended(x)  #> call ok
    dg.unfitting(x)  #> call broken already:TypeError
    keep(x, 1)  #> call ok
    vendored.utils.math.cast(x)  #> call ok
    layout.cast(x)  #> call ok
    deep_gemm.utils.math.cast(x)  #> call ok
    deep_gemm.gone(x)  #> call raises at the call:AttributeError


def spread(x, more, flag):
    pair = (x, 1)
    dg.kept(*pair)  #> call ok
    dg.lost_keyword(*[x, True])  #> call raises at the call:TypeError
    dg.kept(*more)  #> call ok
    known = {"fast": True}
    dg.lost_keyword(x, **known)  #> call raises at the call:TypeError
    some = {} if flag is None else {"fast": flag}
    dg.lost_keyword(x, **some)  #> call raises at the call:TypeError
    grown = {}
    grown.update(fast=True)
    dg.lost_keyword(x, **grown)  #> call raises at the call:TypeError
    later = dict(c=1)
    if flag:
        later["fast"] = 1
        later.pop("fast")
    dg.kept(x, 1, **later)  #> call ok
    dg.lost_keyword(x, **more)  #> call ok
    dg.lost_keyword(x, **{"fast": 1, **more})  #> call raises at the call:TypeError


def caught(x):
    try:
        dg.lost_keyword(x, fast=True)  #> call raises and is caught:TypeError
    except (TypeError, RuntimeError):
        dg.lost_keyword(x)  #> call ok
    try:
        dg.lost_keyword(x, fast=True)  #> call raises at the call:TypeError
    except KeyError:
        pass
    try:
        dg.lost_keyword(x, fast=True)  #> call raises at the call:TypeError
    except Exception as error:
        raise ValueError from error
    try:
        dg.gone(x)  #> call raises and is caught:AttributeError
    except AttributeError:
        pass


begun = partial(dg.lost_keyword, fast=True)  #> call raises at import:TypeError; read ok
fine_begun = functools.partial(dg.kept, b=1)  #> call ok; read ok


def ends(x):
    fine_begun(x)  #> call ok


def takes_handle(mod, x):
    mod.kept(x, 1)  #> call ok
    return getattr(mod, "gone", None)  #> getattr silently off


def gives_handle():
    return _dg


def uses_handles(x):
    takes_handle(_dg, x)
    gives_handle().lost_keyword(x, fast=1)  #> call raises at the call:TypeError
    local = gives_handle()
    local.kept(x, 1)  #> call ok


class Backend:
    def __init__(self):
        self.dg = gives_handle()
        self.gemm = self.dg.lost_keyword  #> read ok
        self.extra = {"fast": True}

    def run(self, x):
        self.dg.kept(x, 1)  #> call ok
        self.gemm(x, **self.extra)  #> call raises at the call:TypeError
        buffer = self.dg.SymmBuffer(x)  #> call ok
        buffer.destroy()  #> call raises at the call:AttributeError
        return buffer.x  #> read ok


def resolve(module, *names):
    for name in names:
        found = getattr(module, name, None)
        if found is not None:
            return found
    raise AttributeError(names[0])


first_of = resolve(_dg, "new_name", "old_name")  #> getattr ok
first_gone = resolve(_dg, "gone", "kept")  #> getattr silently the older name

for _name in ("kept", "gone"):
    globals()[_name] = getattr(_dg, _name, None)  #> getattr ok; getattr silently off

TABLE = {"one": "kept", "two": "gone"}


def by_table(key, x):
    return getattr(_dg, TABLE[key])(x, 1)  #> getattr ok; getattr raises at the call:AttributeError; call ok; call ok


def by_computed(name, x):
    return getattr(_dg, name)(x)  #> dynamic ok


OPS = {"one": dg.kept, "two": dg.lost_keyword}  #> read ok; read ok


def by_ops(x):
    OPS["one"](x, 1)  #> call ok
    OPS["two"](x, fast=1)  #> call raises at the call:TypeError


def asks_first(x):
    if "fast" in signature(dg.by_python).parameters:  #> parameter-probe silently off; read ok
        dg.by_python(x, fast=True)  #> call ok
    return "a" in inspect.signature(dg.by_python).parameters  #> parameter-probe ok; read ok


def branches(x, old):
    if old:
        f = dg.kept  #> read ok
    else:
        f = dg.needs_more  #> read ok
    f(x, 1)  #> call ok; call ok
    f = dg.appended  #> read ok
    f(x)  #> call ok
    if (g := getattr(dg, "gone", None)) is not None:  #> getattr silently off
        g(x)  #> call ok


def by_presence(x):
    if hasattr(dg, "new_name"):  #> hasattr ok
        f = dg.new_name  #> read ok
    else:
        f = dg.gone  #> read ok
    if not hasattr(dg, "appended"):  #> hasattr ok
        return dg.gone(x)  #> call ok
    h = getattr(dg, "kept", None)  #> getattr ok
    if h is None:
        h = dg.gone  #> read ok
    try:
        k = dg.kept  #> read ok
    except AttributeError:
        k = dg.gone  #> read ok
    if not hasattr(dg, "gone"):  #> hasattr silently off
        dg.lost_keyword(x, fast=True)  #> call raises at the call:TypeError
    return f, h, k


def by_version(x):
    if dg.__version__ < "2.8":  #> read ok
        dg.lost_keyword(x, fast=True)  #> call ok


def by_trying(x, y):
    try:
        from deep_gemm import appended, new_name  #> import ok; import ok
    except ImportError:
        from deep_gemm import gone, old_name  #> import ok; import ok
    try:
        dg.by_python(x)  #> call ok
    except TypeError:
        dg.by_python(x, fast=True)  #> call ok
    try:
        dg.kept(x, 1)  #> call ok
    except Exception:  # of a kernel, say
        dg.lost_keyword(x, fast=True)  #> call raises at the call:TypeError
    try:
        dg.lost_keyword(x, fast=True)  #> call raises and is caught:TypeError
    except (TypeError, RuntimeError):
        dg.gone(x)  #> call raises at the call:AttributeError
    try:
        return dg.renamed_keyword(x, grouped_layout=y)  #> call ok
    except Exception:
        pass
    try:
        return dg.renamed_keyword(x, grouped_layout=y)  #> call ok
    except (TypeError, RuntimeError):
        return dg.renamed_keyword(x, m_indices=y)  #> call ok


def by_trying_first(x, y):
    try:
        return dg.renamed_keyword(x, grouped_layout=y)  #> call ok
    except Exception:
        pass
    return dg.renamed_keyword(x, m_indices=y)  #> call ok


if hasattr(dg, "gone"):  #> hasattr silently off
    def defined_where_it_is(x):
        return dg.gone(x)  #> call ok
else:
    def defined_where_it_is(x):
        return dg.kept(x, 1)  #> call ok


try:
    from deep_gemm import new_name as renamed, appended  #> import ok; import ok
except ImportError:
    def renamed(x):
        return dg.old_name(x)  #> call ok


def by_closure(x):
    if not hasattr(dg, "gone"):  #> hasattr silently off
        return None

    def inner():
        return dg.gone(x)  #> call ok

    return inner()


def by_either(x, old):
    if old:
        f = dg.kept  #> read ok
    else:
        f = dg.appended  #> read ok
    return f(x, 1) if old else f(x)  #> call ok; call ok


def test_patches(monkeypatch, mocker):
    monkeypatch.setattr(dg, "gone", None)  #> patch raises at the call:AttributeError
    monkeypatch.setattr("deep_gemm.kept", None)  #> patch ok
    pytest.importorskip("deep_gemm.utils.extra")  #> dynamic-import silently off
    dg.kept = None  #> patch ok


def ops(x):
    torch.ops.deep_gemm.raw(x)  #> call ok


async def later(x):
    return await dg.kept(x, 1)  #> call ok


class Derived(dg.SymmBuffer):  #> read ok
    size = dg.LIMIT  #> read ok


def type_only(x: "deep_gemm.gone") -> None:
    other = x.gone
    return other.kept(1, 2, 3, 4)
"""  # noqa: E501 - a mark stands on the line that it is about
