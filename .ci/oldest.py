"""Print the oldest release that pyproject.toml allows of everything tests need, as constraints."""

import re
import sys
import tomllib
from pathlib import Path

project = tomllib.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
needs = [*project["project"]["dependencies"], *project["dependency-groups"]["test"]]
for name, extra in project["project"]["optional-dependencies"].items():
    if name != "spark":  # half a gigabyte; its tests are skipped
        needs += extra
for need in needs:
    if isinstance(need, str) and (found := re.fullmatch(r"([\w-]+)>=([\d.]+)", need)):
        sys.stdout.write(f"{found[1]}=={found[2]}\n")
