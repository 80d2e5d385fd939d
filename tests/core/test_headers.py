"""The headers are C for any compiler: also without the words that GCC adds."""

import shutil
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "onstream"
HEADERS = sorted(SOURCE.rglob("*.h"))
BEFORE = "#include <math.h>\n#include <stdint.h>\n#include <string.h>\n#undef __GNUC__\n"
COMPILER = shutil.which("cc") or shutil.which("gcc")


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
def test_headers_without_gnu_c() -> None:
    includes = BEFORE + "".join(f'#include "{header}"\n' for header in HEADERS)
    folders = [f"-I{folder}" for folder in sorted({header.parent for header in HEADERS})]
    done = subprocess.run(
        [str(COMPILER), "-std=c11", "-fsyntax-only", *folders, "-x", "c", "-"],
        input=includes,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
