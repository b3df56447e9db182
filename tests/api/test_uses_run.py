"""What is said of a host is what happens when it is run, written in the ways that hosts are."""

from pathlib import Path

import pytest

from dgpin.api import compare
from dgpin.api.bind_findings import impact
from dgpin.api.host.scan import scan
from dgpin.api.surface import Binding
from tests.api import running, surfaces

# Each has a `run()`, of which A and B make the same, or not.
KEYWORDS = {
    "cleared": 'kw = {"fast": 1}\n    kw.clear()\n    return dg.lost_keyword(1, **kw)',
    "any item taken": 'kw = {"fast": 1}\n    kw.popitem()\n    return dg.lost_keyword(1, **kw)',
    "taken in a loop": 'kw = {"fast": 1}\n    for key in ("fast", "slow"):\n'
    "        kw.pop(key, None)\n    return dg.lost_keyword(1, **kw)",
    "taken by a variable": 'kw, key = {"fast": 1}, min("fast", "g")\n    del kw[key]\n'
    "    return dg.lost_keyword(1, **kw)",
    "taken under another name": 'kw = {"fast": 1}\n    other = kw\n    other.pop("fast")\n'
    "    return dg.lost_keyword(1, **kw)",
    "taken from the source": 'kw = {"fast": 1}\n    other = kw\n    kw.pop("fast")\n'
    "    return dg.lost_keyword(1, **other)",
    "taken by a function": 'def clean(given):\n        given.pop("fast")\n\n'
    '    kw = {"fast": 1}\n    clean(kw)\n    return dg.lost_keyword(1, **kw)',
    "taken after a closure": 'kw = {"fast": 1}\n\n    def go():\n'
    "        return dg.lost_keyword(1, **kw)\n\n"
    '    kw.pop("fast")\n    return go()',
    "taken by a decorator": "def drops(f):\n        def inner(*args, **kw):\n"
    '            kw.pop("fast", None)\n            return f(*args, **kw)\n\n'
    "        return inner\n\n    @drops\n    def gemm(*args, **kw):\n"
    "        return dg.lost_keyword(*args, **kw)\n\n    return gemm(1, fast=1)",
    "kept by a decorator": "def logs(f):\n        def inner(*args, **kw):\n"
    "            return f(*args, **kw)\n\n"
    "        return inner\n\n    @logs\n    def gemm(*args, **kw):\n"
    "        return dg.lost_keyword(*args, **kw)\n\n    return gemm(1, fast=1)",
    "made and taken by a function": 'def made():\n        kw = {"fast": 1}\n'
    '        kw.pop("fast")\n        return kw\n\n    return dg.lost_keyword(1, **made())',
    "made and put by a function": 'def made():\n        kw = {}\n        kw["fast"] = 1\n'
    "        return kw\n\n    return dg.lost_keyword(1, **made())",
    "kept by a decorator that gives the function": "def mark(f):\n        return f\n\n    @mark\n"
    "    def gemm(*args, **kw):\n        return dg.lost_keyword(*args, **kw)\n\n"
    "    return gemm(1, fast=1)",
    "looked at by a function": "def show(given):\n        return len(given)\n\n"
    '    kw = {"fast": 1}\n    show(kw)\n    return dg.lost_keyword(1, **kw)',
    "put where a name is there": 'kw = {}\n    if hasattr(dg, "gone"):\n'
    '        kw["fast"] = True\n    return dg.lost_keyword(1, **kw)',
    "put where a name is not there": 'kw = {}\n    if not hasattr(dg, "gone"):\n'
    '        kw["fast"] = True\n    return dg.lost_keyword(1, **kw)',
    "chosen where a name is there": 'kw = {"fast": 1} if hasattr(dg, "gone") else {}\n'
    "    return dg.lost_keyword(1, **kw)",
    "one of two dicts": 'if hasattr(dg, "gone"):\n        kw = {"fast": 1}\n    else:\n'
    "        kw = {}\n    return dg.lost_keyword(1, **kw)",
    "put where the signature shows it": "kw = {}\n"
    '    if "fast" in signature(dg.lost_keyword).parameters:\n        kw["fast"] = 1\n'
    "    return dg.lost_keyword(1, **kw)",
    "taken where the signature does not": 'kw = {"fast": 1}\n'
    '    if "fast" not in signature(dg.lost_keyword).parameters:\n        kw.pop("fast")\n'
    "    return dg.lost_keyword(1, **kw)",
    "filtered by the signature": 'kw = {"fast": 1}\n'
    "    known = signature(dg.lost_keyword).parameters\n"
    "    return dg.lost_keyword(1, **{k: v for k, v in kw.items() if k in known})",
}
PLACES = {
    "appended": "args = [1]\n    args.append(2)\n    return dg.needs_more(*args)",
    "extended": "args = [1]\n    args.extend([2])\n    return dg.unfitting(*args)",
    "added": "args = (1,)\n    args += (2,)\n    return dg.unfitting(*args)",
    "by a function": "def more(given):\n        given.append(2)\n\n    args = [1]\n    more(args)\n"
    "    return dg.unfitting(*args)",
    "made by a function": "def made():\n        args = [1]\n        args.append(2)\n"
    "        return args\n\n    return dg.unfitting(*made())",
    "all there": "args = [1]\n    return dg.needs_more(*args)",
}
GATES = {
    "else of a try": "try:\n        dg.gone\n    except AttributeError:\n        return None\n"
    "    else:\n        return dg.lost_keyword(1, fast=1)",
    "after a try that leaves": "try:\n        dg.gone\n    except AttributeError:\n"
    "        return None\n    return dg.lost_keyword(1, fast=1)",
    "after a try that goes on": "try:\n        dg.gone\n    except AttributeError:\n"
    "        pass\n    return dg.lost_keyword(1, fast=1)",
    "a try around another block": "try:\n        if not dg:\n            dg.gone\n"
    "    except AttributeError:\n        return None\n    return dg.lost_keyword(1, fast=1)",
    "a flag of a try": "try:\n        dg.gone\n        old = True\n"
    "    except AttributeError:\n        old = False\n"
    "    return dg.lost_keyword(1, fast=1) if old else None",
    "a flag set before": "old = False\n    try:\n        dg.gone\n        old = True\n"
    "    except AttributeError:\n        pass\n"
    "    return dg.lost_keyword(1, fast=1) if old else None",
    "the other way round": "try:\n        dg.gone\n        new = False\n"
    "    except AttributeError:\n        new = True\n"
    "    return dg.lost_keyword(1, fast=1) if new else None",
    "dir": 'return dg.gone(1) if "gone" in dir(dg) else None',
    "__dict__": 'return None if "gone" not in dg.__dict__ else dg.gone(1)',
    "names of the signature": "names = set(signature(dg.lost_keyword).parameters)\n"
    '    return dg.lost_keyword(1, fast=1) if "fast" in names else None',
    "keys of the signature": "names = signature(dg.lost_keyword).parameters.keys()\n"
    '    return dg.lost_keyword(1, fast=1) if "fast" in names else None',
    "a function that asks for another": "def takes(f, name):\n"
    "        return name in signature(f).parameters\n\n"
    '    return dg.lost_keyword(1, fast=1) if takes(dg.lost_keyword, "a") else None',
    "exceptions in a name": "errors = (TypeError, RuntimeError)\n    try:\n"
    "        return dg.lost_keyword(1, fast=1)\n    except errors:\n        return None",
}
DEFAULTS = {
    "a function": 'f = getattr(dg, "gone", lambda a: None)\n    return f(1)',
    "a function that raises": "def none(a):\n        raise RuntimeError\n\n"
    '    f = getattr(dg, "gone", none)\n    return f(1)',
    "none": 'f = getattr(dg, "gone", None)\n    return f(1)',
    "none, through a function": "def get(name, default=None):\n"
    '        return getattr(dg, name, default)\n\n    return get("gone")(1)',
    "another, through a function": "def get(name, default=None):\n"
    '        return getattr(dg, name, default)\n\n    return get("gone", lambda a: None)(1)',
    "or a function": 'f = getattr(dg, "gone", None) or (lambda a: None)\n    return f(1)',
    "or two": 'f = (\n        getattr(dg, "gone", None)\n        or getattr(dg, "appended", None)\n'
    "        or (lambda a: None)\n    )\n    return f(1)",
    "put when it is none": 'f = getattr(dg, "gone", None)\n    if f is None:\n'
    "        f = dict\n    return f(a=1)",
    "defined when it is none": 'f = getattr(dg, "gone", None)\n    if not f:\n'
    "        def f(a):\n            return None\n    return f(1)",
    "none after an except": "try:\n        from deep_gemm import gone\n"
    "    except ImportError:\n        gone = None\n    return gone(1)",
    "none after an except, asked for": "try:\n        from deep_gemm import gone\n"
    "    except ImportError:\n        gone = None\n    return gone and gone(1)",
    "none after an except, and said": "try:\n        from deep_gemm import gone\n"
    "    except ImportError:\n        gone = None\n    if gone is None:\n"
    '        raise RuntimeError("no gone")\n    return gone(1)',
    "defined in an except": "try:\n        from deep_gemm import gone\n"
    "    except ImportError:\n        def gone(a):\n            return None\n    return gone(1)",
    "defined in an except to raise": "try:\n        from deep_gemm import gone\n"
    "    except ImportError:\n        def gone(a):\n            raise RuntimeError\n"
    "    return gone(1)",
    "said by a function": "def need(name):\n        f = getattr(dg, name, None)\n"
    "        if f is None:\n            raise RuntimeError(name)\n        return f\n\n"
    '    return need("gone")(1)',
    "said by a function further down": "def need(name):\n        f = getattr(dg, name, None)\n"
    "        if f is not None:\n            return f\n        raise RuntimeError(name)\n\n"
    '    return need("gone")(1)',
    "not said by a function": "def need(name):\n        f = getattr(dg, name, None)\n"
    '        if f is not None:\n            return f\n\n    return need("gone")(1)',
    "not found by a function": "def first(*names):\n        for name in names:\n"
    "            f = getattr(dg, name, None)\n            if f is not None:\n"
    '                return f\n        return None\n\n    return first("gone", "gone_too")(1)',
    "asked further down": 'f = getattr(dg, "gone", None)\n    if f is not None:\n'
    "        return f(1)\n    if dg:\n        return None\n    raise RuntimeError",
    "of its own name in a table": 'table = {n: getattr(dg, n, None) for n in ("kept", "gone")}\n'
    '    return table["kept"](1, 2)',
    "of another name in a table": 'table = {n: getattr(dg, n, None) for n in ("kept", "gone")}\n'
    '    return table["gone"](1)',
    "of a parameter": "def go(a, f=dg.lost_keyword):\n        return f(a, fast=1)\n\n"
    "    return go(1)",
    "asserted not to be there": 'assert not hasattr(dg, "old_gone")\n    return 1',
    "asserted": 'assert hasattr(dg, "gone")\n    return 1',
    "raised when it is not there": 'if not hasattr(dg, "gone"):\n'
    '        raise ImportError("too old")\n    return 1',
    "raised when it is not listed": 'if "gone" not in dir(dg):\n'
    '        raise ImportError("too old")\n    return 1',
}
ASKED = {
    "with ==": "if f == None:\n        return None\n    return f(1)",
    "with all": "if not all((f, g)):\n        return None\n    return f(1)",
    "with any": "if any(x is None for x in (f, g)):\n        return None\n    return f(1)",
    "with in": "if None in (f, g):\n        return None\n    return f(1)",
    "with any of g": "if any(x is None for x in (g, g)):\n        return None\n    return f(1)",
    "by a function": "def check(x):\n        if x is None:\n            raise RuntimeError\n\n"
    "    check(f)\n    return f(1)",
}
NAMES = 'f, g = getattr(dg, "gone", None), getattr(dg, "kept", None)\n    '
HEAD = "from inspect import signature\n\nimport deep_gemm as dg\n\n\ndef run():\n    "
TEXTS = {
    **{f"keywords {name}": f"{HEAD}{body}\n" for name, body in KEYWORDS.items()},
    **{f"places {name}": f"{HEAD}{body}\n" for name, body in PLACES.items()},
    **{f"asked {name}": f"{HEAD}{NAMES}{body}\n" for name, body in ASKED.items()},
    **{f"default {name}": f"{HEAD}{body}\n" for name, body in DEFAULTS.items()},
    **{f"gate {name}": f"{HEAD}{body}\n" for name, body in GATES.items()},
    "keywords of self changed": "import deep_gemm as dg\n\n\nclass K:\n    def __init__(self):\n"
    '        self.kw = {"fast": 1}\n        self.kw.pop("fast")\n\n    def go(self):\n'
    "        return dg.lost_keyword(1, **self.kw)\n\n\ndef run():\n    return K().go()\n",
    "keywords of the module changed": "import deep_gemm as dg\n\nKW = {}\n\n\ndef init():\n"
    '    KW["b"] = 2\n\n\ndef run():\n    init()\n    return dg.unfitting(1, **KW)\n',
    "keywords of the module put later": "import deep_gemm as dg\n\nKW = {}\n\n\ndef run():\n"
    '    return dg.lost_keyword(1, **KW)\n\n\nKW["fast"] = 1\n',
    "star import": "from deep_gemm import *\n\n\ndef run():\n    return lost_keyword(1, fast=1)\n",
    "star import that fits": "from deep_gemm import *\n\n\ndef run():\n    return kept(1, 2)\n",
    "property": "import deep_gemm\n\n\nclass K:\n    @property\n    def lib(self):\n"
    "        return deep_gemm\n\n    def go(self):\n        return self.lib.lost_keyword(1, fast=1)"
    "\n\n\ndef run():\n    return K().go()\n",
    "static method": "import deep_gemm\n\n\nclass K:\n"
    "    f = staticmethod(deep_gemm.lost_keyword)\n\n    def go(self):\n"
    "        return self.f(1, fast=1)\n\n\ndef run():\n    return K().go()\n",
    "a flag of a class": 'import deep_gemm\n\n\nclass Has:\n    it = hasattr(deep_gemm, "gone")\n'
    "\n\ndef run():\n    return deep_gemm.gone(1) if Has.it else None\n",
    "a flag of a function": "import deep_gemm\n\n\ndef has():\n    try:\n"
    "        from deep_gemm import gone\n\n        return True\n    except ImportError:\n"
    "        return False\n\n\ndef run():\n"
    "    return deep_gemm.lost_keyword(1, fast=1) if has() else None\n",
    "a flag and more": "import os\n\ntry:\n    import deep_gemm\n    from deep_gemm import gone\n\n"
    '    HAS = "NO_GEMM" not in os.environ\nexcept ImportError:\n    HAS = False\n\n\n'
    "def run():\n    return deep_gemm.lost_keyword(1, fast=1) if HAS else None\n",
    "annotations that are deferred": "from __future__ import annotations\n\nimport deep_gemm\n\n\n"
    "def run(x: deep_gemm.old_name = None) -> deep_gemm.old_name:\n    return x\n",
    "an annotation that is evaluated": "import deep_gemm\n\n\n"
    "def run(x: deep_gemm.gone = None):\n    return x\n",
    "an annotation of a variable": "import deep_gemm\n\n\n"
    "def run():\n    x: deep_gemm.old_name = 1\n    return x\n",
    "an import for checkers": "import typing\n\nif typing.TYPE_CHECKING:\n"
    "    from deep_gemm import gone\n\n\ndef run():\n    return 1\n",
    "an import for all but checkers": "from typing import TYPE_CHECKING\n\nif not TYPE_CHECKING:\n"
    "    from deep_gemm import gone\n\n\ndef run():\n    return 1\n",
    "an import on the other branch": "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n"
    "    from deep_gemm import gone\nelse:\n    gone = None\n\n\ndef run():\n    return 1\n",
    "asked by the caller": "import deep_gemm\n\nf = getattr(deep_gemm, 'gone', None)\n\n\n"
    "def go():\n    return f(1)\n\n\ndef run():\n    return go() if f is not None else None\n",
    "asked by one of the callers": "import deep_gemm\n\nf = getattr(deep_gemm, 'gone', None)\n\n\n"
    "def go():\n    return f(1)\n\n\ndef run():\n    if f is not None:\n        go()\n"
    "    return go()\n",
    "asked by the constructor": "import deep_gemm\n\n\nclass K:\n    def __init__(self):\n"
    "        self.f = getattr(deep_gemm, 'gone', None)\n        if self.f is None:\n"
    "            raise RuntimeError\n\n    def go(self):\n        return self.f(1)\n\n\n"
    "def run():\n    return K().go()\n",
    "a list of what is missing": 'import deep_gemm\n\nNEEDED = ("kept", "gone")\n'
    "missing = [n for n in NEEDED if not hasattr(deep_gemm, n)]\n\n\ndef run():\n"
    "    return missing\n",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_as_it_runs(tmp_path: Path, text: str) -> None:
    """An exception is foretold if and only if there is one, and no difference is left out."""
    a, b = surfaces.moved(Binding.PYTHON)
    (tmp_path / "main.py").write_text(text)
    (_, before), (raised, after) = (running.outcome(text, side) for side in (a, b))

    findings = impact(scan(tmp_path), compare.compare(a, b)).findings
    foretold = {f.exception for f in findings if f.exception and f.consequence.counts}

    assert ({raised} if raised else set()) == foretold
    assert bool(findings) or before == after


def test_a_function_that_asks(tmp_path: Path) -> None:
    """What a function of the host finds in the signature guards the call."""
    text = (
        "from inspect import signature\n\nimport deep_gemm\n\n\ndef takes(f, name):\n    try:\n"
        "        return name in signature(f).parameters\n    except ValueError:\n"
        "        return False\n\n\ndef run():\n"
        '    if takes(deep_gemm.lost_keyword, "fast"):\n'
        "        deep_gemm.lost_keyword(1, fast=1)\n"
    )
    (tmp_path / "main.py").write_text(text)

    assert () == impact(scan(tmp_path), compare.compare(*surfaces.moved(Binding.PYTHON))).findings


VERSIONS = {
    "of the distribution": 'V = version("deep-gemm")',
    "with a default": 'V = getattr(deep_gemm, "__version__", "0")',
    "by a function": "def found():\n    return str(deep_gemm.__version__)\n\n\nV = found()",
    "with another way": 'try:\n    V = version("deep_gemm")\nexcept Exception:\n'
    "    V = deep_gemm.__version__",
}


@pytest.mark.parametrize("asks", VERSIONS.values(), ids=VERSIONS)
def test_a_version_however_it_is_got(tmp_path: Path, asks: str) -> None:
    """What the version decides is a doubt, also where its name was set twice."""
    text = (
        f"from importlib.metadata import version\n\nimport deep_gemm\n\n{asks}\n\n\n"
        'def run():\n    kw = {}\n    if V < "2.8":\n        kw["fast"] = True\n'
        "        deep_gemm.gone(1)\n    deep_gemm.lost_keyword(1, **kw)\n"
    )
    (tmp_path / "main.py").write_text(text)

    found = impact(scan(tmp_path), compare.compare(*surfaces.moved(Binding.PYTHON)))

    assert () == found.findings
    assert {"deep_gemm.gone", "deep_gemm.lost_keyword"} == {d.use.path for d in found.doubts}


SKIPPED = {
    "by a decorator": '@pytest.mark.skipif(not hasattr(dg, "gone"), reason="old")\n',
    "by a mark with a name": 'old = pytest.mark.skipif(not hasattr(dg, "gone"), reason="old")\n\n\n'
    "@old\n",
    "by unittest": '@unittest.skipUnless(hasattr(dg, "gone"), "old")\n',
    "with its class": '@unittest.skipIf(not hasattr(dg, "gone"), "old")\nclass TestIt:\n    ',
    "with its file": 'pytestmark = [pytest.mark.skipif(not hasattr(dg, "gone"), reason="old")]\n',
}


@pytest.mark.parametrize("mark", SKIPPED.values(), ids=SKIPPED)
def test_a_skipped_test_does_not_raise(tmp_path: Path, mark: str) -> None:
    """A test that is skipped where the name is gone is off, and does not fail."""
    indent = "    " if "class" in mark else ""
    body = f"def test_it(x):\n{indent}    dg.gone(x)\n"
    text = f"import unittest\n\nimport deep_gemm as dg\nimport pytest\n\n\n{mark}{body}"
    (tmp_path / "test_main.py").write_text(text)

    found = impact(scan(tmp_path), compare.compare(*surfaces.moved(Binding.PYTHON))).findings

    assert ["silently off"] == [finding.consequence.value for finding in found]


def test_a_flag_of_another_file(tmp_path: Path) -> None:
    """A flag that a `try` sets guards what is used under it, wherever it is imported."""
    (tmp_path / "flags.py").write_text(
        "try:\n    from deep_gemm import gone\n\n    HAS = True\n"
        "except ImportError:\n    HAS = False\n"
    )
    (tmp_path / "main.py").write_text(
        "import deep_gemm\n\nimport flags\nfrom flags import HAS\n\n\ndef run():\n    if HAS:\n"
        "        deep_gemm.gone(1)\n    if flags.HAS:\n        deep_gemm.gone(2)\n"
    )

    found = impact(scan(tmp_path), compare.compare(*surfaces.moved(Binding.PYTHON))).findings

    assert ["flags.py:2"] == [str(finding.use.place) for finding in found]


CALL = "        deep_gemm.gone(1)"
IMPORT = f"        import deep_gemm\n\n{CALL}"
REPLACED = {
    "patch.object": f'with mock.patch.object(deep_gemm, "gone", create=True):\n{CALL}',
    "patch by name": f'with mock.patch("deep_gemm.gone", create=True):\n{CALL}',
    "setattr": 'monkeypatch.setattr(deep_gemm, "gone", print, raising=False)\n    deep_gemm.gone()',
    "delattr": 'monkeypatch.delattr(deep_gemm, "gone", raising=False)',
    "setitem": f'monkeypatch.setitem(sys.modules, "deep_gemm", fake)\n    if fake:\n{IMPORT}',
    "patch.dict": f'with mock.patch.dict(sys.modules, {{"deep_gemm": fake}}):\n{IMPORT}',
    "patch.dict by keyword": f'with mock.patch.dict("sys.modules", deep_gemm=fake):\n{IMPORT}',
    "another signature": 'monkeypatch.setattr(deep_gemm, "kept", print)\n    deep_gemm.kept()',
}


@pytest.mark.parametrize("body", REPLACED.values(), ids=REPLACED)
def test_what_a_test_replaces(tmp_path: Path, body: str) -> None:
    """What a test has replaced is the test's own, and need not be there before."""
    text = (
        "import sys\nfrom unittest import mock\n\nimport deep_gemm\n\n\n"
        f"def test_it(monkeypatch, fake):\n    {body}\n"
    )
    (tmp_path / "test_main.py").write_text(text)

    assert () == impact(scan(tmp_path), compare.compare(*surfaces.moved(Binding.PYTHON))).findings


def test_what_a_decorator_replaces(tmp_path: Path) -> None:
    """What `@mock.patch` replaces is the test's own; another test's call is not."""
    text = (
        "from unittest import mock\n\nimport deep_gemm\n\n\n"
        '@mock.patch("deep_gemm.kept", print)\ndef test_it():\n    deep_gemm.kept(1, 2, 3, 4)\n\n\n'
        "def test_other():\n    deep_gemm.kept(1, 2, 3, 4)\n"
    )
    (tmp_path / "test_main.py").write_text(text)

    found = impact(scan(tmp_path), compare.compare(*surfaces.moved(Binding.PYTHON))).findings

    assert ["test_main.py:12"] == [str(finding.use.place) for finding in found]
