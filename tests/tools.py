"""What some tests need, programs and packages: skipped where missing, failing where CI=true."""

import importlib
import os
import shutil
from typing import Any

import pytest


def program(*names: str) -> str:
    """Where the first of these programs is."""
    for name in names:
        if found := shutil.which(name):
            return found
    told = f"{names[0]} is not installed; .ci/run installs it"
    if os.environ.get("CI") == "true":
        pytest.fail(told, pytrace=False)
    pytest.skip(told)


def package(name: str) -> Any:
    """The package of this name."""
    try:
        return importlib.import_module(name)
    except ImportError:
        told = f"{name} is not installed; .ci/run installs it"
    if os.environ.get("CI") == "true":
        pytest.fail(told, pytrace=False)
    pytest.skip(told)
