from typing import Any

class SelectState:
    def __init__(self, who: str, *, names: list[Any]) -> None: ...

class UnionState:
    def __init__(self, who: str, *, parts: list[list[Any]]) -> None: ...
