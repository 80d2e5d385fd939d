"""Makes the reference implementations importable as `oracles`."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
