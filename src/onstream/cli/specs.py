"""What people type for a model or a generator becomes one, without `eval`.

`PAClassifier(C=0.1)`, `StandardScaler() | LogisticRegression()`, `KernelPA(kernel=RBF(gamma=1))`:
names of this library, called with literals or with each other, joined by `|` (then) and `+`
(beside).
"""

import ast
import inspect
import operator
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from .names import by_name, check_online, meant, package

JOINTS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.BitOr: operator.or_,
    ast.Add: operator.add,
}


def parse_model(text: str) -> Any:
    """A learner from its description."""
    model = build(text, by_name(), "model")
    if not hasattr(model, "learn_one"):
        raise ValueError(f"onstream: {text!r} is no learner; `onstream models` lists them.")
    check_online(model)
    return model


def parse_generator(text: str) -> Any:
    """A stream from its description, such as `SEA(function=2)`."""
    from ..streams import generators

    return build(text, named(generators), "generator")


def named(module: Any) -> dict[str, Any]:
    """The classes that a module offers."""
    found = {name: getattr(module, name) for name in module.__all__}
    return {name: thing for name, thing in found.items() if isinstance(thing, type)}


def build(text: str, known: Mapping[str, Any], kind: str) -> Any:
    """The thing that the text describes, made of known classes."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
        return Builder(text, known, kind).value(tree.body)
    except (SyntaxError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else "it is nested too deeply"
        raise ValueError(
            f"onstream: the {kind} {text!r:.80} cannot be read: {reason}. "
            f"Write it like a call: 'PAClassifier(C=0.1)'."
        ) from None


class Builder:
    """Walks over the syntax tree; whatever is not expected is refused."""

    def __init__(self, text: str, known: Mapping[str, Any], kind: str) -> None:
        self.text, self.known, self.kind = text, known, kind

    def value(self, node: ast.expr, home: str = "") -> Any:
        """What one expression stands for; `home` is the package of what it is given to."""
        if isinstance(node, ast.Call):
            return self.made(node, home)
        if isinstance(node, ast.Name):
            return self.called(self.find(node.id, home), node.id, [], {})
        if isinstance(node, ast.BinOp) and type(node.op) in JOINTS:
            return JOINTS[type(node.op)](self.value(node.left, home), self.value(node.right, home))
        if isinstance(node, (ast.List, ast.Tuple)):
            return [self.value(item, home) for item in node.elts]
        try:
            return ast.literal_eval(node)
        except ValueError:
            self.refuse(node)

    def made(self, node: ast.Call, home: str) -> Any:
        """A class of ours, called."""
        if not isinstance(node.func, ast.Name) or any(k.arg is None for k in node.keywords):
            self.refuse(node)
        cls = self.find(node.func.id, home)
        home = package(cls)
        arguments = [self.value(argument, home) for argument in node.args]
        options = {
            str(k.arg): self.option(node.func.id, str(k.arg), k.value, home) for k in node.keywords
        }
        return self.called(cls, node.func.id, arguments, options)

    def option(self, who: str, name: str, node: ast.expr, home: str) -> Any:
        """What is given to a parameter; a bare word may be text that lacks its quotes."""
        if isinstance(node, ast.Name) and node.id not in self.known:
            hint = meant(node.id, [*self.known, "True", "False", "None"])
            raise ValueError(
                f"onstream: {who}: {name}={node.id} is neither a number nor a text in quotes nor "
                f"a {self.kind}.{hint or f' Text needs quotes: {name}={node.id!r}.'}"
            )
        return self.value(node, home)

    def find(self, name: str, home: str) -> Any:
        """The class of this name; of two, such as kernel.Sum and stats.Sum, that of the package."""
        for cls in self.known.values():
            if cls.__name__ == name and package(cls) == home:
                return cls
        if name not in self.known:
            hint = meant(name, self.known)
            listed = f" There are {', '.join(sorted(self.known))}."
            if self.kind == "model":  # too many for a sentence
                listed = "" if hint else " `onstream models` lists them."
            raise ValueError(f"onstream: there is no {self.kind} {name!r}.{hint}{listed}")
        return self.known[name]

    def called(self, cls: Any, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        """The class called, with a word on parameters that do not exist."""
        names = [p.name for p in inspect.signature(cls).parameters.values()]
        for option in options:
            if option not in names:
                raise ValueError(
                    f"onstream: {name} has no parameter {option!r}.{meant(option, names)} "
                    f"The parameters are {', '.join(names)}."
                )
        return cls(*arguments, **options)

    def refuse(self, node: ast.expr) -> NoReturn:
        """Say which piece is not understood."""
        piece = ast.get_source_segment(self.text.strip(), node) or self.text
        raise ValueError(
            f"onstream: in the {self.kind} {self.text!r:.80}, {piece!r:.40} is neither a value nor "
            f"a {self.kind}. Text needs quotes: variant='PA-II'."
        )
