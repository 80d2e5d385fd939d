"""Parse the text of a model or a generator, without `eval`.

`PAClassifier(C=0.1)`, `StandardScaler() | LogisticRegression()`, `KernelPA(kernel=RBF(gamma=1))`:
names of this library, called with literals or with each other, joined by `|` (then) and `+`
(beside).
"""

import ast
import inspect
import operator
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from .names import baselines, by_name, check_online, family, generators, meant

JOINTS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.BitOr: operator.or_,
    ast.Add: operator.add,
}


def parse_model(text: str) -> Any:
    """A learner from its description."""
    if text.strip().removesuffix("()") in baselines():
        raise ValueError(
            f"onstream: {text.strip():.80} is a baseline; it only takes part in a `run`."
        )
    model = build(text, by_name(), "model")
    if not hasattr(model, "learn_one"):
        raise ValueError(f"onstream: {text!r:.80} is no learner; `onstream models` lists them.")
    check_online(model)
    return model


def parse_contender(text: str) -> Any:
    """A learner, or a baseline for it to beat."""
    baseline = baselines().get(text.strip().removesuffix("()"))
    return parse_model(text) if baseline is None else baseline()


def parse_generator(text: str) -> Any:
    """A stream from its description, such as `SEA(function=2)`."""
    return build(text, generators(), "generator")


def build(text: str, known: Mapping[str, Any], kind: str) -> Any:
    """The thing that the text describes, made of known classes."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # Python's remarks on its own language
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
        """What one expression stands for; `home` is the family of what it is given to."""
        if isinstance(node, ast.Call):
            return self.made(node, home)
        if isinstance(node, ast.Name):
            return self.called(self.find(node.id, home), node.id, [], {})
        if isinstance(node, ast.BinOp) and type(node.op) in JOINTS:
            return self.joined(node, self.value(node.left, home), self.value(node.right, home))
        if isinstance(node, (ast.List, ast.Tuple)):
            return [self.value(item, home) for item in node.elts]
        try:
            return ast.literal_eval(node)
        except (ValueError, TypeError):  # TypeError: a list as a key
            self.refuse(node)

    def joined(self, node: ast.BinOp, left: Any, right: Any) -> Any:
        """Two learners, one behind or beside the other."""
        for side, part in ((node.left, left), (node.right, right)):
            if not hasattr(part, "learn_one"):
                self.refuse(side)
        try:
            return JOINTS[type(node.op)](left, right)
        except TypeError as error:
            if "unsupported operand" in str(error):
                self.refuse(node)
            raise ValueError(str(error)) from None

    def made(self, node: ast.Call, home: str) -> Any:
        """A class of ours, called."""
        if not isinstance(node.func, ast.Name) or any(k.arg is None for k in node.keywords):
            self.refuse(node)
        cls = self.find(node.func.id, home)
        home = family(cls)
        arguments = [self.value(argument, home) for argument in node.args]
        options = {
            str(k.arg): self.option(node.func.id, str(k.arg), k.value, home) for k in node.keywords
        }
        return self.called(cls, node.func.id, arguments, options)

    def option(self, who: str, name: str, node: ast.expr, home: str) -> Any:
        """What is given to a parameter; a bare word may be text that lacks its quotes."""
        if isinstance(node, ast.Name) and node.id not in self.known:
            hint = meant(node.id, [*self.known, "True", "False", "None"])
            hint = hint or f" Text needs quotes: {name:.60}={node.id!r:.60}."
            raise ValueError(
                f"onstream: {who}: {name:.60}={node.id:.60} is neither a number nor a text in "
                f"quotes nor a {self.kind}.{hint}"
            )
        return self.value(node, home)

    def find(self, name: str, home: str) -> Any:
        """The class of this name; of two, such as kernel.Sum and stats.Sum, that of `home`."""
        for cls in self.known.values():
            if cls.__name__ == name and family(cls) == home:
                return cls
        if name not in self.known:
            hint = meant(name, self.known)
            listed = f" There are {', '.join(sorted(self.known))}."
            if self.kind == "model":  # too many for a sentence
                listed = "" if hint else " `onstream models` lists them."
            raise ValueError(f"onstream: there is no {self.kind} {name!r:.80}.{hint}{listed}")
        return self.known[name]

    def called(self, cls: Any, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        """The class called, with a word on parameters that do not exist or do not fit."""
        signature = inspect.signature(cls)
        names = list(signature.parameters)
        for option in options:
            if option not in names:
                raise ValueError(
                    f"onstream: {name} has no parameter {option!r:.80}.{meant(option, names)} "
                    f"The parameters are {', '.join(names)}."
                )
        try:
            signature.bind(*arguments, **options)
        except TypeError as error:
            raise ValueError(
                f"onstream: {name}: {error}. The parameters are {', '.join(names) or 'none'}."
            ) from None
        try:
            return cls(*arguments, **options)
        except (TypeError, OverflowError) as error:
            own = str(error).startswith(f"{cls.__name__}: ")
            raise ValueError(str(error) if own else f"onstream: {name}: {error}.") from None

    def refuse(self, node: ast.expr) -> NoReturn:
        """Say which piece is not understood."""
        piece = ast.get_source_segment(self.text.strip(), node) or self.text
        raise ValueError(
            f"onstream: in the {self.kind} {self.text!r:.80}, {piece!r:.40} is neither a value nor "
            f"a {self.kind}. Text needs quotes: variant='PA-II'."
        )
