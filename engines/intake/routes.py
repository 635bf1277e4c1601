"""Which way a request in free text goes: learned weights of signals and words, with the rules' own choice.

The rules of `scope` and `intent` know what must hold; how heavily a signal weighs against another
is learned from requests with known answers (`python -m engines.intake.learn` writes `routes.json`): a
linear model with one weight for each feature and way, whose sums are log-odds.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from engines.intake.facts import Reading, Values

Route = Literal[
    "plan", "diagnose", "review", "ask", "run", "no_hardware", "no_training", "inference", "provider", "automation"
]
"""An intent within the scope, or why there is nothing to do for one."""
ROUTES: tuple[Route, ...] = get_args(Route)
FILE = Path(__file__).with_name("routes.json")
"""Where the weights are kept."""
_RULED = 0.75
"""Log-odds that the rules' choice adds to what was learned: 0.5 to 1 gave the fewest errors on requests whose
authors had no part in the learning."""
_SCALE = 1000
"""Weights are kept as whole thousandths."""
_STATED = ("model", "params_b", "gpus", "nodes", "gpu_type", "gpu_mem_gb", "seq_len", "batch", "method")
_WORDS_WEIGH = 2.0
"""Length of the vector of a text's words, beside signals of weight 1 and more."""


def features(counts: Mapping[str, int], values: Values, words: Iterable[str]) -> Mapping[str, float]:
    """Describe a text for the model.

    Args:
        counts: Signals that it shows.
        values: Values that it states.
        words: Stems of its words.

    Returns:
        Feature to strength: 1 and a little more for a signal, less for each word the more there are.
    """
    described = {f"shows {name}": 1 + 0.5 * math.log(number) for name, number in counts.items() if number > 0}
    described |= {f"states {name}": 1.0 for name in _STATED if getattr(values, name) is not None}
    if values.gpus == 1:
        described["states one gpu"] = 1.0
    known = sorted(set(words))
    return described | {f"says {word}": _WORDS_WEIGH / math.sqrt(len(known)) for word in known}


@dataclass(frozen=True)
class Weights:
    """A learned model."""

    requests: int
    """Requests that were learned from."""
    of: Mapping[str, tuple[float, ...]]
    """Feature to its weight for each of ROUTES, in log-odds."""

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> "Weights":
        """Return what was kept as JSON data."""
        kept = {name: tuple(weight / _SCALE for weight in weights) for name, weights in data["weights"].items()}
        return cls(data["requests"], kept)

    def kept(self) -> dict[str, Any]:
        """Return it as JSON data."""
        weights = {name: [round(weight * _SCALE) for weight in self.of[name]] for name in sorted(self.of)}
        return {"requests": self.requests, "routes": ROUTES, "weights": weights}

    def sums(self, described: Mapping[str, float]) -> list[float]:
        """Return the log-odds of each of ROUTES, up to a common addend."""
        totals = [0.0] * len(ROUTES)
        for name, strength in {**described, "always": 1.0}.items():
            for place, weight in enumerate(self.of.get(name, ())):
                totals[place] += strength * weight
        return totals


@cache
def learned() -> Weights:
    """Return the weights that were learned."""
    return Weights.read(json.loads(FILE.read_text(encoding="utf-8")))


def choose(
    reading: Reading,
    values: Values,
    ruled: Route,
    barred: frozenset[Route] = frozenset(),
    weights: Weights | None = None,
) -> Route:
    """Choose the way of a request.

    Args:
        reading: What its text says.
        values: The numbers that are known.
        ruled: What the rules say.
        barred: Ways that are out of the question.
        weights: A model in place of the one that was learned.

    Returns:
        The likeliest way.
    """
    sums = (weights or learned()).sums(features(reading.counts, values, reading.words))
    sums[ROUTES.index(ruled)] += _RULED
    return max((route for route in ROUTES if route not in barred), key=lambda route: sums[ROUTES.index(route)])
