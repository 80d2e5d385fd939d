"""Examples of structured kernels as learners hold them: canonical form and prepared form."""

import json
from sys import getsizeof
from typing import Any


def prepared_object(kernel: Any, who: str, x: Any) -> tuple[Any, Any]:
    """Canonical and prepared form of an example of a structured kernel."""
    try:
        form = kernel.canonical(x)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{who}: {error}") from None
    return form, kernel.prepare(form)


def to_text(form: Any) -> str:
    """A canonical form as JSON."""
    return json.dumps(form, separators=(",", ":"))


def from_text(kernel: Any, who: str, text: str) -> tuple[Any, Any]:
    """Canonical and prepared form of an example of a file. Other forms than ours are refused."""
    form = json.loads(text)
    if counts_nodes(form):
        raise ValueError("a support is not in the form in which it is stored")
    item = prepared_object(kernel, who, form)
    if to_text(item[0]) != text:
        raise ValueError("a support is not in the form in which it is stored")
    return item


def counts_nodes(form: Any) -> bool:
    """Say whether a graph in it is given by its number of nodes: it would take memory."""
    if isinstance(form, dict):
        return type(form.get("nodes", [])) is not list or any(map(counts_nodes, form.values()))
    return isinstance(form, list) and any(
        isinstance(part, dict) and counts_nodes(part) for part in form
    )


def deep_size(item: Any) -> int:
    """Bytes of a structured example: lists and dicts with all that is in them."""
    if isinstance(item, dict):
        return getsizeof(item) + sum(deep_size(part) for part in item.values())
    if isinstance(item, (list, tuple)):
        return getsizeof(item) + sum(deep_size(part) for part in item)
    return getsizeof(item)
