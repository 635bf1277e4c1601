"""Learns how signals weigh: `python -m engines.intake.learn CASES.jsonl ...` writes `routes.json`.

Multinomial logistic regression by stochastic gradient steps whose size shrinks with what a weight has
already moved (AdaGrad: Duchi, Hazan and Singer, JMLR 12, 2011). Pure Python, the same result every time.
"""

import json
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, get_args

from contracts.request import Intent
from engines.intake.reading import read_text
from engines.intake.routes import FILE, ROUTES, Route, Weights, features

_ROUNDS = 25
"""Times that every request is looked at."""
_STEP = 0.3
"""First step of a weight, in log-odds."""
_DECAY = 1e-3
"""Share of a weight that is taken back at each step: what little is said about stays small."""
_KNOWN_IN = 3
"""Requests that a feature must occur in."""


def route_of(case: Mapping[str, Any]) -> Route:
    """Tell the right way of a case.

    Args:
        case: A row with `intent`, `verdict` and `reason_codes`, as in tests/cases/need.

    Returns:
        Its way.
    """
    codes = set(case["reason_codes"])
    if case["verdict"] == "out_of_scope":
        if "agent_or_workflow_automation" in codes:
            return "automation"
        return "inference" if "inference_only" in codes else "provider"
    if "no_training_planned" in codes:
        return "no_training"
    if case["verdict"] == "wait" and "no_multi_gpu_hardware" in codes and "single_gpu_only" not in codes:
        return "no_hardware"
    intents: dict[Intent, Route] = {name: name for name in get_args(Intent) if name in ROUTES}
    return intents[case["intent"]]


def _described(text: str) -> Mapping[str, float]:
    reading = read_text(text)
    return features(reading.counts, reading.values, reading.words)


def learn(cases: Iterable[Mapping[str, Any]]) -> Weights:
    """Learn from requests with known answers.

    Args:
        cases: Rows with `text` and what `route_of` needs.

    Returns:
        The weights.
    """
    rows = [({**_described(case["text"]), "always": 1.0}, ROUTES.index(route_of(case))) for case in cases]
    seen = Counter(name for described, _ in rows for name in described)
    rows = [({name: value for name, value in row.items() if seen[name] >= _KNOWN_IN}, right) for row, right in rows]
    weights: defaultdict[str, list[float]] = defaultdict(lambda: [0.0] * len(ROUTES))
    moved: defaultdict[str, list[float]] = defaultdict(lambda: [1e-2] * len(ROUTES))
    for _ in range(_ROUNDS):
        # A perfect shuffle: neighbours in the file are of a kind and must not follow each other.
        rows = rows[1::2] + rows[::2]
        for row, right in rows:
            _step(row, right, weights, moved)
    return Weights(len(rows), {name: tuple(found) for name, found in weights.items()})


def _step(
    row: Mapping[str, float], right: int, weights: Mapping[str, list[float]], moved: Mapping[str, list[float]]
) -> None:
    """Move the weights of one request's features towards its right way."""
    sums = [0.0] * len(ROUTES)
    for name, strength in row.items():
        for place, weight in enumerate(weights[name]):
            sums[place] += strength * weight
    top = max(sums)
    odds = [math.exp(total - top) for total in sums]
    whole = sum(odds)
    errors = [odd / whole - (place == right) for place, odd in enumerate(odds)]
    for name, strength in row.items():
        found, paces = weights[name], moved[name]
        for place, error in enumerate(errors):
            slope = error * strength + _DECAY * found[place]
            paces[place] += slope * slope
            found[place] -= _STEP * slope / math.sqrt(paces[place])


def main() -> int:
    """Read the files that are named and write the weights."""
    if len(sys.argv) < 2:
        print("usage: python -m engines.intake.learn CASES.jsonl ...", file=sys.stderr)
        return 2
    cases = [json.loads(line) for name in sys.argv[1:] for line in Path(name).read_text("utf-8").splitlines()]
    FILE.write_text(json.dumps(learn(cases).kept(), separators=(",", ":")) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
