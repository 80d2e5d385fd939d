from typing import Any

class Machine:
    def __init__(self, *arguments: Any) -> None: ...

class OneVsRestState:
    def __init__(self, *arguments: Any) -> None: ...
