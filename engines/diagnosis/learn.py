"""Learns how the causes are told: `python -m engines.diagnosis.learn` writes `likeness.json` from the tests' cases."""

import json
import sys
from collections.abc import Iterable
from typing import Any

from engines.diagnosis.holdout import CASES, read_rows
from engines.diagnosis.likeness import FILE, Likeness
from engines.diagnosis.reading import read_text
from engines.diagnosis.registry import cause_rules
from engines.diagnosis.text import Text
from engines.diagnosis.wording import card_text

_NOT_BY_WORDS = ("memory-exceeds-gpu", "exception-in-user-code")
"""A GPU that is too small is told by numbers, an exception by who raised it: their words are like those of many."""


def learned(rows: Iterable[dict[str, Any]]) -> Likeness:
    """Return what cases and the causes' own cards teach.

    Args:
        rows: Cases with `input` and `root_cause_key`; those of a cause that has no rule are left out.
    """
    taught = {rule.cause: rule for rule in cause_rules() if rule.cause not in _NOT_BY_WORDS}
    told = [(row["root_cause_key"], row["input"]) for row in rows if row["root_cause_key"] in taught]
    reports = [(cause, Text(read_text(text).lines).plain) for cause, text in told]
    cards = [(cause, f"{cause.replace('-', ' ')}: {card_text(rule.card)[0]}") for cause, rule in taught.items()]
    return Likeness.learned([*reports, *cards])


def main() -> int:
    """Write the file."""
    FILE.write_text(json.dumps(learned(read_rows(CASES)).kept(), separators=(",", ":")) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
