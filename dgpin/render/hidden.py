"""Passwords and tokens in addresses, kept out of everything that dgpin prints or writes."""

import re

# Over http a user's name may be a token by itself; over ssh it is a part of the address.
_TOKEN = re.compile(r"(?<=://)[^/?#\s\"'<>`]*@")
_PASSWORD = re.compile(r"(?<=ssh://)([^/?#\s\"'<>`@:]+):[^/?#\s\"'<>`]*@")


def hide(text: str) -> str:
    """Return a text with the credentials of its addresses left out."""
    if "@" not in text or "://" not in text:
        return text
    return "".join(map(_hide, re.split(r"(ssh://\S+)", text)))


def _hide(part: str) -> str:
    return _PASSWORD.sub(r"\1@", part) if part.startswith("ssh://") else _TOKEN.sub("", part)
