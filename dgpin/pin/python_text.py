"""Python files of others: parsed, and never run."""

import ast
import warnings


def parse(text: bytes | str, *, path: str) -> ast.Module:
    """Return a file's tree. What Python would warn of is the file's own affair, and is not told.

    Raises:
        SyntaxError: it is no Python that this interpreter knows, or nested too deeply for it.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text, filename=path)
        except ValueError as error:  # a zero byte, in some releases
            raise SyntaxError(str(error)) from error
        except (RecursionError, MemoryError) as error:
            raise SyntaxError("it is nested too deeply") from error
