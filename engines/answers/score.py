"""Scores retrieval and answers on a file of questions: `python -m engines.answers.score [FILE]`.

Each line of the file is a JSON object with `id`, `question`, `torch_version`,
`must_contain` (groups of regular expressions, one of each group has to be found),
`must_not_contain` and, where the right answer is "not covered", `out_of_scope`.
"""

import json
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from engines.answers.ask import answer_question
from engines.answers.wording import WORDS_MAX
from knowledge.card import Card
from knowledge.search import index

TOP = 3
"""Cards that a retrieval may return."""
_CASES = Path("tests/cases/questions/dev.jsonl")


class QuestionScore(NamedTuple):
    """What one question came to."""

    id: str
    """Its id."""
    outside: bool
    """Whether "not covered" is the right answer."""
    retrieved: bool
    """Whether the text of the first cards satisfies every group; True outside."""
    right: bool
    """Whether the answer is right: covered, every group found, nothing forbidden, not too long."""
    words: int
    """Words of the answer."""
    top: tuple[str, ...]
    """Slugs of the first cards."""
    lacking: tuple[str, ...]
    """What the answer lacks, in words."""


def score_question(row: dict[str, Any]) -> QuestionScore:
    """Ask one question and compare.

    Args:
        row: A line of the file.

    Raises:
        KeyError: A field is missing.
    """
    answer = answer_question(row["question"], row.get("torch_version"))
    outside = bool(row.get("out_of_scope"))
    hits = index().search(row["question"], limit=TOP)
    text = " ".join(_text(hit.card) for hit in hits)
    lacking = [] if outside == (not answer.covered) else ["covered" if not outside else "a refusal"]
    lacking += [f"one of {group}" for group in _unsatisfied(row["must_contain"], answer.answer)]
    lacking += [f"no {bad!r}" for bad in row["must_not_contain"] if re.search(bad, answer.answer.lower())]
    words = len(answer.answer.split())
    if words > WORDS_MAX:
        lacking.append(f"at most {WORDS_MAX} words, not {words}")
    return QuestionScore(
        id=row["id"],
        outside=outside,
        retrieved=outside or not _unsatisfied(row["must_contain"], text),
        right=not lacking,
        words=words,
        top=tuple(hit.card.slug for hit in hits),
        lacking=tuple(lacking),
    )


def read_questions(path: Path) -> list[dict[str, Any]]:
    """Read a file of questions, one JSON object a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def report(scores: Sequence[QuestionScore]) -> str:
    """Return the misses, one question a line, and the shares."""
    lines = []
    for score in scores:
        if not score.retrieved or not score.right:
            what = "; ".join(score.lacking) or "answer right"
            lines.append(f"{score.id}: {'' if score.retrieved else 'NOT RETRIEVED; '}{what}  <- {', '.join(score.top)}")
    inside = [score for score in scores if not score.outside]
    outside = [score for score in scores if score.outside]
    lines.append(f"retrieval, first {TOP} cards: {_share(score.retrieved for score in inside)}")
    lines.append(f"answers right: {_share(score.right for score in inside)}")
    lines.append(f"out of scope refused: {_share(score.right for score in outside)}")
    return "\n".join(lines)


def main() -> None:
    """Score a file and print the report."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else _CASES
    print(report([score_question(row) for row in read_questions(path)]))


def _unsatisfied(groups: Iterable[Sequence[str]], text: str) -> list[Sequence[str]]:
    lowered = text.lower()
    return [group for group in groups if not any(re.search(pattern, lowered) for pattern in group)]


def _text(card: Card) -> str:
    return "\n".join((card.title, card.claim, card.what, card.why, card.what_to_do, card.code))


def _share(results: Iterable[bool]) -> str:
    found = list(results)
    return f"{sum(found)}/{len(found)} ({100 * sum(found) / max(1, len(found)):.0f} %)"


if __name__ == "__main__":
    main()
