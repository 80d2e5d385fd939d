"""What several tests ask of docstrings: defaults that are the real ones, examples that are true."""

import doctest
import inspect
import re
from typing import Any


def check_defaults(cls: type[Any]) -> None:
    """Every parameter of a part is told with its default."""
    text = inspect.getdoc(cls) or ""
    for name, default in cls().params.items():
        told = re.search(rf"^{name} : .*default (.*)$", text, re.M)
        assert told, name
        assert eval(told[1]) == default


def check_examples(cls: type[Any], **names: Any) -> None:
    """There are examples; they know their class and these names."""
    names |= {cls.__name__: cls}
    text = inspect.getdoc(cls) or ""
    test = doctest.DocTestParser().get_doctest(text, names, cls.__name__, None, 0)
    assert test.examples
    report: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=report.append)
    assert not report, "".join(report)
