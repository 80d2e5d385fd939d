from typing import Any, Literal

from ..base.unsupervised import Unsupervised

class PAUniclass(Unsupervised):
    variant: Literal["PA-I", "PA", "PA-II"]
    C: float
    epsilon: float
    max_radius: float | None
    hash_bits: int | None
    hash_seed: int
    def __init__(
        self,
        *,
        variant: Literal["PA-I", "PA", "PA-II"] = "PA-I",
        C: float = 1.0,
        epsilon: float = 0.1,
        max_radius: float | None = None,
        hash_bits: int | None = None,
        hash_seed: int = 0,
        init: PAUniclass | dict[str, Any] | None = None,
        reset_schedule: bool = False,
    ) -> None: ...
    @property
    def center(self) -> dict[Any, float]: ...
    @property
    def weights(self) -> dict[Any, float]: ...
    @property
    def radius(self) -> float: ...
