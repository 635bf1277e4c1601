"""Scores diagnoses on a file of cases: `python -m engines.diagnosis.score FILE`.

Each line is a JSON object with `id`, `input`, `root_cause_key`, `also_acceptable`,
`answerable` (yes, top3, no) and `symptom_kind`.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from engines.diagnosis.diagnose import diagnose_text
from engines.diagnosis.reading import read_text

_CASES = Path("tests/cases/failures/dev.jsonl")
_CONFIDENT = 0.8


class CaseScore(NamedTuple):
    """What one case came to."""

    id: str
    """Its id."""
    first: bool
    """Whether the first cause is right; where only three can be asked for, whether one of them is."""
    in_three: bool
    """Whether one of the first three causes is right."""
    outside: bool
    """Whether it is a fault outside FSDP."""
    verdict_right: bool
    """Whether `not_fsdp` was said exactly where it is right."""
    wrong_and_confident: bool
    """Whether a wrong cause was named with a confidence above 0.8."""
    told: str
    """Right cause, and what was named."""


def score_case(row: dict[str, Any]) -> CaseScore:
    """Diagnose one case and compare.

    Raises:
        KeyError: A field is missing.
    """
    diagnosis = diagnose_text(read_text(row["input"], row["id"]))
    right = {row["root_cause_key"], *row["also_acceptable"]}
    named = [cause.cause for cause in diagnosis.causes]
    in_three = bool(right.intersection(named[:3]))
    first = bool(right.intersection(named[:1])) or (row["answerable"] == "top3" and in_three)
    outside = row["symptom_kind"] == "not_fsdp"
    confident = bool(diagnosis.causes) and diagnosis.causes[0].confidence > _CONFIDENT
    told = ", ".join(f"{cause.cause} {cause.confidence}" for cause in diagnosis.causes[:3])
    return CaseScore(
        row["id"],
        first,
        in_three,
        outside,
        outside == (diagnosis.verdict == "not_fsdp"),
        confident and named[0] not in right,
        f"{row['root_cause_key']}: {diagnosis.verdict}, {told}",
    )


def main(arguments: Sequence[str]) -> int:
    """Print the cases that are not right, and the shares."""
    path = Path(arguments[0]) if arguments else _CASES
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    scores = [score_case(row) for row in rows if row["answerable"] != "no"]
    for score in scores:
        if not (score.first and score.verdict_right):
            print(f"{score.id}: {score.told}")
    outside = [score for score in scores if score.outside]
    print(f"cases {len(scores)}, first {sum(s.first for s in scores)}, in three {sum(s.in_three for s in scores)}")
    print(f"not_fsdp recognised {sum(s.verdict_right for s in outside)} of {len(outside)}")
    print(f"not_fsdp wrongly {sum(not s.verdict_right for s in scores if not s.outside)}")
    print(f"wrong above {_CONFIDENT}: {sum(s.wrong_and_confident for s in scores)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
