from typing import Any

class Program:
    def __init__(self, kernel: Any, who: str) -> None: ...
