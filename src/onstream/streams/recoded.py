"""Files of other encodings, such as cp1252 and UTF-16, as UTF-8."""

import codecs
from typing import Any

from .files import STEP, Bytes

INVALID = "\udcff"  # becomes bytes that are no UTF-8: the line is rejected, and no other


def invalid(error: UnicodeError) -> tuple[str, int]:
    """A replacement for bytes that mean nothing in an encoding."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return INVALID, error.end


codecs.register_error("onstream.invalid", invalid)


def coerce_encoding(who: str, encoding: Any) -> str:
    """The usual name of an encoding of text."""
    try:
        "".encode(encoding)  # refuses codecs that are none of text
        return codecs.lookup(encoding).name
    except (LookupError, TypeError, UnicodeError):
        raise ValueError(
            f"{who}: encoding must be one that Python knows, such as 'utf-8', 'cp1252', 'latin-1' "
            f"or 'utf-16', got {encoding!r:.80}."
        ) from None


class Recoded:
    """The bytes of a file, which are text in another encoding, as UTF-8."""

    def __init__(self, source: Bytes, encoding: str) -> None:
        self.source = source
        self.name = source.name
        self._decoder = codecs.getincrementaldecoder(encoding)("onstream.invalid")
        self._raw = bytearray(STEP)
        self._waiting = memoryview(b"")
        self._over = False

    @property
    def first_line(self) -> int:
        """The number of the first line."""
        return self.source.first_line

    @property
    def done(self) -> int:
        """Bytes of the file read so far."""
        return self.source.done

    def into(self, room: memoryview) -> int:
        """Put the next bytes into `room`; how many they are, 0 at the end."""
        while not self._waiting and not self._over:  # a piece of a character is no byte yet
            with memoryview(self._raw) as view:
                got = self.source.into(view)
            self._over = got == 0
            text = self._decoder.decode(bytes(self._raw[:got]), final=self._over)
            self._waiting = memoryview(text.encode("utf-8", "surrogatepass"))
        n = min(len(room), len(self._waiting))
        room[:n] = self._waiting[:n]
        self._waiting = self._waiting[n:]
        return n

    def cut_off(self) -> bool:
        """True if reading was interrupted."""
        return self.source.cut_off()
