"""Scores diagnoses without what a case alone has taught: `python -m engines.diagnosis.holdout FILE...`.

For each case the signs of its cause that no other case of that cause shows are left out, and the words that
were learned from it, as if the case had never been seen; then a table tells how often an answer of some
confidence is right.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from engines.diagnosis.cause import CauseRule, Sign
from engines.diagnosis.diagnose import diagnose_text, shown_signs
from engines.diagnosis.reading import Reading, read_text
from engines.diagnosis.registry import cause_rules

CASES = tuple(Path("tests/cases/failures") / name for name in ("dev.jsonl", "own.jsonl", "wide.jsonl"))
"""The cases that are known: signs were written and words were learned by them."""
_BINS = (0.0, 0.3, 0.5, 0.65, 0.8, 1.01)


class Held(NamedTuple):
    """What a case came to without its own signs."""

    id: str
    """Its id."""
    first: bool
    """Whether the first cause is right; where only three can be asked for, whether one of them is."""
    in_three: bool
    """Whether one of the first three causes is right."""
    confidence: float
    """Confidence of the first cause, 0 where none was named."""


def read_rows(paths: Iterable[Path]) -> list[dict[str, Any]]:
    """Return the cases of some files that have an answer.

    Raises:
        OSError: A file cannot be read.
    """
    rows = [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines() if line]
    return [row for row in rows if row["answerable"] != "no"]


def held_out(rows: Sequence[dict[str, Any]]) -> list[Held]:
    """Return how each case comes out without the signs that only it shows."""
    rules = {rule.cause: rule for rule in cause_rules()}
    readings = {row["id"]: read_text(row["input"], row["id"]) for row in rows}
    shown: defaultdict[str, dict[str, frozenset[Sign]]] = defaultdict(dict)
    for row in rows:
        if row["root_cause_key"] in rules:
            rule = rules[row["root_cause_key"]]
            shown[rule.cause][row["id"]] = frozenset(shown_signs(rule, readings[row["id"]]))
    return [_held(row, readings[row["id"]], rules, shown[row["root_cause_key"]]) for row in rows]


def reliability(held: Iterable[tuple[float, bool]]) -> list[tuple[float, float, int, float]]:
    """Return for each range of confidence (from, to, answers, share that is right)."""
    pairs = list(held)
    table = []
    for low, high in pairwise(_BINS):
        right = [is_right for confidence, is_right in pairs if low <= confidence < high]
        table.append((low, min(high, 1.0), len(right), sum(right) / len(right) if right else 0.0))
    return table


def _held(
    row: dict[str, Any], reading: Reading, rules: dict[str, CauseRule], shown: dict[str, frozenset[Sign]]
) -> Held:
    used = dict(rules)
    cause = row["root_cause_key"]
    if cause in used:
        by_others = frozenset[Sign]().union(*(signs for case, signs in shown.items() if case != row["id"]))
        alone = shown.get(row["id"], frozenset()) - by_others
        kept = tuple(sign for sign in used[cause].signs if sign.weight < 0 or sign not in alone)
        used[cause] = replace(used[cause], signs=kept)
    found = diagnose_text(reading, rules=tuple(used.values()), known_as=cause)
    named = [one.cause for one in found.causes]
    right = {cause, *row["also_acceptable"]}
    in_three = bool(right.intersection(named[:3]))
    first = bool(right.intersection(named[:1])) or (row["answerable"] == "top3" and in_three)
    return Held(row["id"], first, in_three, found.causes[0].confidence if found.causes else 0.0)


def main(arguments: Sequence[str]) -> int:
    """Print the shares and the table, with and without the cases' own signs."""
    rows = read_rows([Path(argument) for argument in arguments] or CASES)
    held = held_out(rows)
    count = len(held)
    print(f"cases {count}, held out: first {sum(h.first for h in held) / count:.0%}", end=", ")
    print(f"in three {sum(h.in_three for h in held) / count:.0%}")
    for low, high, answers, right in reliability((h.confidence, h.first) for h in held):
        print(f"confidence {low:.2f} to {high:.2f}: {answers} answers, {right:.0%} right")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
