"""Untrusted text for a terminal: control characters are shown, not sent."""


def printable(text: object, *, lines: bool = False) -> str:
    r"""The text with unprintable characters escaped as in Python; with `lines`, newlines stay.

    >>> print(printable("\x1b[2Jprice\n"))
    \x1b[2Jprice\n
    """
    text = str(text)
    if text.isprintable():
        return text
    keep = "\n" if lines else ""
    return "".join(c if c.isprintable() or c == keep else repr(c)[1:-1] for c in text)
