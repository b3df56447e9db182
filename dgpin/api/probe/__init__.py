"""What runs in the interpreter under test: standard library, torch and the build, nothing else.

`read.py` and `call.py` are scripts, started with -I and -B; the other modules are theirs. None may
import anything of dgpin, and all must run on every Python that a build is made for.
"""
