"""Completion of a REF in the shell."""


def complete(incomplete: str) -> list[str]:
    """Return what the mirrors in the cache have that begins so."""
    from dgpin.source import refnames  # noqa: PLC0415 - only a completion needs it

    return refnames.beginning(incomplete)
