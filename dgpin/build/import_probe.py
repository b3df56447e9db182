"""Run by the interpreter that a build is for: `python -I import_probe.py ROOT`.

Imports torch and then `deep_gemm` from ROOT; 0 when both can be imported.
"""

import importlib
import sys

root = sys.argv[1]
sys.path.insert(0, root)
importlib.import_module("torch")  # its libraries must be loaded first
found = importlib.import_module("deep_gemm").__file__ or ""
if not found.startswith(root):
    message = f"another deep_gemm was imported: {found}"
    raise ImportError(message)
