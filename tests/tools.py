"""Programs that some tests need: skipped where they are missing, failing where CI=true."""

import os
import shutil

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
