from typing import Self

from ...core.state import State
from ._one_vs_rest import BudgetMachine

class BOGDMachine(BudgetMachine): ...
class NOGDMachine(BudgetMachine): ...

class FOGDState(State):
    def __new__(cls, n_components: int, gamma: float, eta: float, seed: int) -> Self: ...
