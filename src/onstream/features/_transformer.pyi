from typing import Any

from ..base._learner import LearnerBase
from ..base.types import Example

class TransformerModel: ...

class TransformerVerbs(LearnerBase):
    def learn_one(self, x: Example, w: float = 1.0) -> None: ...
    def transform_one(self, x: Example) -> dict[Any, float]: ...
