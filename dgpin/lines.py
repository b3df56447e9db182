"""Lines as git, grep and editors count them."""


def split(text: str) -> list[str]:
    """Return a text's lines, without their ends.

    `str.splitlines` also ends a line at form feeds, U+2028 and the like, so that every line below
    one would have another number than in an editor.
    """
    lines = text.split("\n")
    if not lines[-1]:
        del lines[-1]
    return [line.removesuffix("\r") for line in lines]
