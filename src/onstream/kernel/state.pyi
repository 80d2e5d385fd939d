from typing import Any

class OneVsRestState:
    def __init__(self, *arguments: Any) -> None: ...
