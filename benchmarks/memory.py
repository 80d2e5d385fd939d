"""How many bytes: the peak of this process, and the state of a model of any library."""

from __future__ import annotations

import resource
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np


def reset_peak() -> int:
    """Forget the peak reached so far, where the system can; bytes resident now."""
    with suppress(OSError):  # elsewhere the peak of the preparation may hide that of the run
        Path("/proc/self/clear_refs").write_text("5")
    return peak()


def peak() -> int:
    """Most bytes this process had resident since the start or the last ``reset_peak``."""
    try:
        status = Path("/proc/self/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) * 1024
    except (OSError, IndexError):
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024


def model_bytes(model: Any) -> int | None:
    """Count what the model holds, as its own library does; for scikit-learn, its arrays."""
    for counter in ("memory_bytes", "_raw_memory_usage"):  # onstream, River
        if hasattr(model, counter):
            return int(getattr(model, counter))
    arrays = {
        id(a): a for a in getattr(model, "__dict__", {}).values() if isinstance(a, np.ndarray)
    }
    return sum(a.nbytes for a in arrays.values()) or None
