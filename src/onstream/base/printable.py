"""Text of others on a terminal: what would steer the terminal is shown, not sent."""

import re

# Control characters (ESC begins commands of terminals, C1 has some of its own), those that turn
# the direction of text or hide in it, line separators, and halves of surrogate pairs.
HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff"
    "\ufff9-\ufffb]"
)


def printable(text: object, *, lines: bool = False) -> str:
    r"""The text with such characters written as in Python; line ends stay if it has `lines`.

    >>> print(printable("\x1b[2Jprice\n"))
    \x1b[2Jprice\n
    """

    def escaped(found: re.Match[str]) -> str:
        return found[0] if lines and found[0] == "\n" else repr(found[0])[1:-1]

    return HIDDEN.sub(escaped, str(text))
