"""Text of others on a terminal: what would steer the terminal is shown, not sent."""


def printable(text: object, *, lines: bool = False) -> str:
    r"""The text with unprintable characters written as in Python; if it has `lines`, they stay.

    >>> print(printable("\x1b[2Jprice\n"))
    \x1b[2Jprice\n
    """
    told = str(text)
    if told.isprintable():
        return told
    keep = "\n" if lines else ""
    return "".join(c if c.isprintable() or c == keep else repr(c)[1:-1] for c in told)
