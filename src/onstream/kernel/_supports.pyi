from typing import Self

from .kernels.base import Kernel

class CompiledKernel:
    def __new__(cls, kernel: Kernel, who: str) -> Self: ...
