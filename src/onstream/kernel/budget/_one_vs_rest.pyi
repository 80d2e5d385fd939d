from typing import Any

from ...core.state import State
from .._supports import CompiledKernel

class BudgetMachine: ...

class OneVsRestState(State):
    def __init__(
        self, compiled: CompiledKernel, kind: type[BudgetMachine], *parameters: Any
    ) -> None: ...
