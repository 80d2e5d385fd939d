"""The folder of real data sets, and the `load` of its load.py."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .page import ROOT

DATA = Path("../shared/data")  # from the project's root


def data_folder(given: Path = DATA) -> Path | None:
    """The folder with load.py and the data sets, or None."""
    folder = ROOT / given
    return folder if (folder / "load.py").exists() else None


def asked_for(what: str | None) -> Path | None:
    """The folder that --data names on the command line, if it does; `what` is the module's text."""
    parser = argparse.ArgumentParser(description=(what or "").splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder with load.py and the data sets")
    folder: Path | None = parser.parse_args().data
    return folder


def loader(given: Path) -> Callable[..., Any]:
    """Import `load`; the program ends if there is none."""
    folder = data_folder(given)
    if folder is None:
        sys.exit(f"There is no load.py in {given}.")
    sys.path.insert(0, str(folder))
    try:
        from load import load  # type: ignore[import-not-found]
    finally:
        sys.path.pop(0)
    return load  # type: ignore[no-any-return]
