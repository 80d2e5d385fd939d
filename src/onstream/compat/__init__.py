"""Other libraries: our learners among their models, and theirs among ours."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .onnx import to_onnx
    from .river import from_river, to_river
    from .sklearn import expected_failed_checks, from_sklearn, to_sklearn
    from .vw import from_vw, to_vw

__all__ = [
    "expected_failed_checks",
    "from_river",
    "from_sklearn",
    "from_vw",
    "to_onnx",
    "to_river",
    "to_sklearn",
    "to_vw",
]

# Imported when somebody asks: each needs a package that not everybody has.
_HOMES = {
    "expected_failed_checks": "sklearn",
    "from_river": "river",
    "from_sklearn": "sklearn",
    "from_vw": "vw",
    "to_onnx": "onnx",
    "to_river": "river",
    "to_sklearn": "sklearn",
    "to_vw": "vw",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=None)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
