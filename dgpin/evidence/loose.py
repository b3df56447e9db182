"""JSON of unknown soundness, taken apart with the place of whatever is wrong."""

import math
import re
from collections.abc import Iterator
from datetime import datetime, timezone


class MalformedError(ValueError):
    """A value is missing or of another type than its schema says."""


class Loose:
    """A JSON value and where in its document it stands."""

    def __init__(self, value: object, where: str = "") -> None:
        self._value = value
        self._where = where

    def _wrong(self, wanted: str) -> MalformedError:
        return MalformedError(f"{self._where or 'the document'} is not {wanted}")

    def __getitem__(self, key: str) -> "Loose":
        """Return a member of an object.

        Raises:
            MalformedError: this is no object, or it has no such member.
        """
        if not isinstance(self._value, dict):
            raise self._wrong("an object")
        where = f"{self._where}.{key}" if self._where else key
        if key not in self._value:
            message = f"{where} is missing"
            raise MalformedError(message)
        return Loose(self._value[key], where)

    def __contains__(self, key: str) -> bool:
        """Tell whether an object has a member."""
        return isinstance(self._value, dict) and key in self._value

    def __iter__(self) -> Iterator["Loose"]:
        """Yield the items of an array.

        Raises:
            MalformedError: this is no array.
        """
        if not isinstance(self._value, list):
            raise self._wrong("an array")
        for index, item in enumerate(self._value):
            yield Loose(item, f"{self._where}[{index}]")

    @property
    def is_null(self) -> bool:
        """Whether the value is null."""
        return self._value is None

    @property
    def text(self) -> str:
        """Return the value, which must be a text."""
        if not isinstance(self._value, str):
            raise self._wrong("a text")
        try:
            self._value.encode(errors="surrogateescape")  # as paths that are not UTF-8 come back
        except UnicodeEncodeError:
            raise self._wrong("a text that can be written") from None
        return self._value

    @property
    def maybe_text(self) -> str:
        """Return the value, which must be a text or null; empty for null."""
        return "" if self._value is None else self.text

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the value, which must be an array of texts."""
        return tuple(item.text for item in self)

    @property
    def digest(self) -> str:
        """Return the value, which must be a SHA-256 as hexadecimal digits, or empty."""
        text = self.text
        if text and re.fullmatch(r"[0-9a-f]{64}", text) is None:
            raise self._wrong("a SHA-256")
        return text

    @property
    def commit(self) -> str:
        """Return the value, which must be a commit or null; empty for null."""
        text = self.maybe_text
        if text and re.fullmatch(r"[0-9a-f]{4,64}", text) is None:
            raise self._wrong("a commit")
        return text

    @property
    def architecture(self) -> str:
        """Return the value, which must be an architecture such as sm_90."""
        if re.fullmatch(r"sm_[0-9]{2,3}", self.text) is None:
            raise self._wrong("an architecture")
        return self.text

    @property
    def moment(self) -> str:
        """Return the value, which must be a date and time of ISO 8601, in UTC: later is greater."""
        try:
            moment = datetime.fromisoformat(self.text.replace("Z", "+00:00"))
            return moment.astimezone(timezone.utc).isoformat(timespec="seconds")
        except (ValueError, OverflowError):
            raise self._wrong("a date and time") from None

    @property
    def flag(self) -> bool:
        """Return the value, which must be true or false."""
        if not isinstance(self._value, bool):
            raise self._wrong("true or false")
        return self._value

    @property
    def number(self) -> float:
        """Return the value, which must be a number, or the text of one that JSON cannot hold."""
        if isinstance(self._value, bool) or not isinstance(self._value, int | float | str):
            raise self._wrong("a number")
        try:
            return float(self._value)
        except (ValueError, OverflowError):
            raise self._wrong("a number") from None

    @property
    def amount(self) -> float:
        """Return the value, which must be a finite number, not below zero."""
        if not 0 <= self.number < math.inf:
            raise self._wrong("an amount")
        return self.number

    @property
    def count(self) -> int:
        """Return the value, which must be a whole number, not below zero."""
        if isinstance(self._value, bool) or not isinstance(self._value, int) or self._value < 0:
            raise self._wrong("a count")
        return self._value

    @property
    def maybe_number(self) -> float | None:
        """Return the value, which must be a number or null."""
        return None if self._value is None else self.number
