from typing import Any

from ..core.state import State

class SelectState(State):
    def __init__(self, names: list[Any]) -> None: ...

class UnionState(State):
    def __init__(self, parts: list[list[Any]]) -> None: ...
