"""The payload's modules import each other by plain name, as they do beside their script."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "runners" / "payload"))
