"""Git refs as A or B: the build in the cache, else the source's text at that commit."""

from dgpin.api.locate import Named
from dgpin.build.interpreter import Interpreter
from dgpin.errors import UsageError


class Reference:
    """Where refs are looked up."""

    def __init__(self, *, static: bool) -> None:
        self.static = static

    def find(self, spec: str, python: Interpreter) -> Named:
        """Return what a ref stands for."""
        raise UsageError(f"{spec}: neither a build nor a git ref")
