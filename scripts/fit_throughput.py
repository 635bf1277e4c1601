"""Fit the rates of the throughput model to recorded runs and print them for `fitted.py`.

Usage: python scripts/fit_throughput.py [tests/cases/memory/published.jsonl]
"""

import json
import sys
from pathlib import Path

from engines.sizing.throughput.calibrate import fit_rates
from engines.sizing.throughput.recorded import fitting_set

RECORD = Path(__file__).parents[1] / "tests" / "cases" / "memory" / "published.jsonl"


def main() -> None:
    """Print the rates as JSON."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else RECORD
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rates = fit_rates(fitting_set(rows)).model_dump()
    rounded = {
        name: {device: round(share, 3) for device, share in value.items()}
        if isinstance(value, dict)
        else round(value, 3)
        for name, value in rates.items()
    }
    print(json.dumps(rounded, indent=4))


if __name__ == "__main__":
    main()
