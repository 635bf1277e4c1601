"""How much a text is like what people and logs tell of each cause: the words that it shares with known reports.

The words are kept in `likeness.json`, which `python -m engines.diagnosis.learn` writes from the cases of the tests.
Weights are tf-idf, likeness is the cosine between a text and the mean of a cause's reports (Rocchio's classifier).
"""

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("likeness.json")
"""Where the words are kept."""

_STEM_CHARS = 6
_WORD = re.compile(r"[^\W\d_]{2,}")
_SCALE = 1000
"""Weights are kept as whole thousandths."""
_MUCH = 10.0
"""Weight of the words of a text from which it tells much: some six words that one report in a hundred holds."""
_OF_ALL = re.compile(
    r"tried to allocate [^\n]*?(?:unallocated\.?|reserved in total by pytorch\)?|$)"
    r"|watchdog caught collective operation timeout: ?|worknccl\([^)\n]*\)+(?: ran for \d+ milliseconds[\w ]*\.?)?"
    r"|some nccl operations have failed or timed out\.?|we are taking the entire process down\.?",
    re.IGNORECASE | re.MULTILINE,
)
"""Messages in which many causes end: their words are like all of them."""


@dataclass(frozen=True)
class Likeness:
    """The words of each cause."""

    reports: int
    """Reports that were learned from."""
    known_in: Mapping[str, int]
    """In how many reports a word stands."""
    told: Mapping[str, Mapping[str, float]]
    """Weight of each word in the reports of each cause."""

    @classmethod
    def learned(cls, reports: Iterable[tuple[str, str]]) -> "Likeness":
        """Learn from reports.

        Args:
            reports: Cause and text of each.
        """
        counted = [(cause, words(text)) for cause, text in reports]
        known_in = Counter(word for _, found in counted for word in found)
        empty = cls(len(counted), known_in, {})
        told: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
        for cause, found in counted:
            for word, weight in empty.weighed(found).items():
                told[cause][word] += weight
        return cls(len(counted), known_in, told)

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> "Likeness":
        """Return what was kept as JSON data."""
        told: dict[str, dict[str, float]] = {cause: {} for cause in data["causes"]}
        for word, entry in data["words"].items():
            for number, weight in entry["told"]:
                told[data["causes"][number]][word] = weight / _SCALE
        return cls(data["reports"], {word: entry["known_in"] for word, entry in data["words"].items()}, told)

    def kept(self) -> dict[str, Any]:
        """Return it as JSON data."""
        causes = sorted(self.told)
        kept: dict[str, Any] = {word: {"known_in": self.known_in[word], "told": []} for word in sorted(self.known_in)}
        for number, cause in enumerate(causes):
            for word, weight in self.told[cause].items():
                kept[word]["told"].append([number, round(weight * _SCALE)])
        return {"reports": self.reports, "causes": causes, "words": kept}

    def weighed(self, found: Mapping[str, int]) -> dict[str, float]:
        """Return the weight of each word of a text that is known; their squares add up to 1."""
        return _of_length_one(self._weights(found))

    def of(self, text: str, without: str | None = None) -> dict[str, float]:
        """Return for each cause how like a text is to its reports, 0 to 1.

        Args:
            text: The text.
            without: Cause from whose reports this very text is taken out first.
        """
        weights = self._weights(words(text))
        asked, much = _of_length_one(weights), min(1.0, (_length(weights) / _MUCH) ** 2)
        return {
            cause: much * _shared(asked, told if cause != without else _rest(told, asked))
            for cause, told in self.told.items()
        }

    def _weights(self, found: Mapping[str, int]) -> dict[str, float]:
        return {
            word: (1 + math.log(count)) * math.log(self.reports / self.known_in[word])
            for word, count in found.items()
            if word in self.known_in
        }


def words(text: str) -> Counter[str]:
    """Count the words of a text, each by its first six letters so that its endings do not matter."""
    return Counter(word[:_STEM_CHARS] for word in _WORD.findall(_OF_ALL.sub(" ", text).lower()))


@cache
def known() -> Likeness:
    """Return what was learned."""
    return Likeness.read(json.loads(FILE.read_text(encoding="utf-8")))


def _rest(told: Mapping[str, float], asked: Mapping[str, float]) -> dict[str, float]:
    return {word: max(weight - asked.get(word, 0.0), 0.0) for word, weight in told.items()}


def _shared(asked: Mapping[str, float], told: Mapping[str, float]) -> float:
    length = _length(told)
    return sum(weight * told.get(word, 0.0) for word, weight in asked.items()) / length if length else 0.0


def _length(weights: Mapping[str, float]) -> float:
    return math.sqrt(sum(weight * weight for weight in weights.values()))


def _of_length_one(weights: Mapping[str, float]) -> dict[str, float]:
    length = _length(weights)
    return {word: weight / length for word, weight in weights.items()} if length else {}
