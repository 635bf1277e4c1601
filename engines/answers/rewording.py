"""Takes a language model's wording of an answer apart and keeps the sentences that cards bear out.

The model has no say in what is answered: which cards, which numbers and which version are
settled before it is asked, and what it adds is dropped here.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from contracts.answer import Answer
from engines.answers.arithmetic import model_state
from engines.answers.grounding import is_grounded
from engines.answers.wording import WORDS_MAX, citation
from knowledge.card import Card
from knowledge.cards import cards

SHOWN_MAX = 5
"""Cards that a model is shown at most."""
_TEXT_CHARACTERS_MAX = 20_000

_CITATION = re.compile(r"(?<!\w)\[([^\[\]\n]{1,200})\]")
_STOP_THEN_CITATIONS = re.compile(r"([.!?])[ \t]*((?:\[[^\[\]\n]{1,200}\][ \t,;]*)+)")
_LIST_MARK = re.compile(r"^[ \t]*(?:[-*•#>]+|\d{1,2}[.)])[ \t]+", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\bcf\.)(?<=[.!?])\s+|\n+")
_ADDRESSED_TO_A_MODEL = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,60}\b(?:instructions?|prompts?|above|previous|rules?|cards?)\b"
    r"|\b(?:system|developer) (?:prompt|message)\b"
    r"|\b(?:respond|reply|answer|say) (?:only |exactly )?with\b"
    r"|\byou are (?:now )?(?:an? )?(?:assistant|language model|ai\b|chatbot)"
    r"|\btell the (?:user|reader)\b"
    r"|^\s*(?:system|assistant|user|human)\s*:",
    re.IGNORECASE | re.MULTILINE,
)


def cards_to_word(question: str, answer: Answer) -> tuple[Card, ...]:
    """Return the cards from which a model may word an answer; none where it may not.

    It may not where nothing is covered, where the answer is arithmetic, and where cards of
    several versions of torch contradict each other: there every word counts.

    Args:
        question: The question.
        answer: Its answer in the cards' own words.
    """
    if not answer.covered or model_state(question) is not None:
        return ()
    quoted = [cards()[cited.card] for cited in answer.citations]
    slugs = {card.slug for card in quoted}
    if any(slugs.intersection(card.in_other_versions) for card in quoted):
        return ()
    near = [cards()[slug] for slug in answer.nearest if slug not in slugs]
    holding = [card for card in (*quoted, *near) if card.holds_in(answer.torch)]
    return tuple(without_instructions(card) for card in holding[:SHOWN_MAX])


def without_instructions(card: Card) -> Card:
    """Return a card without the paragraphs that speak to a language model.

    What such a paragraph says is neither shown to a model nor can it bear a sentence out.
    """
    kept = {
        field: "\n\n".join(
            part for part in getattr(card, field).split("\n\n") if not _ADDRESSED_TO_A_MODEL.search(part)
        )
        for field in ("title", "claim", "what", "why", "what_to_do")
    }
    return card.model_copy(update=kept)


def reworded(answer: Answer, text: str, shown: Sequence[Card]) -> Answer | None:
    """Return the answer in a model's words as far as they are borne out; None where too little is.

    Too little: no sentence is left, or none of them cites the best card.

    Args:
        answer: The answer in the cards' own words.
        text: What the model wrote.
        shown: The cards that it was shown.
    """
    known = {card.slug: card for card in shown}
    parts, cited = [f"torch {answer.torch}:"], dict[str, Card]()
    for body, slugs in _founded(text, known):
        part = f"{body} {' '.join(f'[{slug}]' for slug in slugs)}"
        if len(" ".join([*parts, part]).split()) > WORDS_MAX:
            break
        parts.append(part)
        cited |= {slug: known[slug] for slug in slugs}
    if not answer.citations or answer.citations[0].card not in cited:
        return None
    return answer.model_copy(
        update={"answer": " ".join(parts), "citations": tuple(citation(cards_of) for cards_of in cited.values())}
    )


def _founded(text: str, known: Mapping[str, Card]) -> Iterator[tuple[str, list[str]]]:
    """Yield each sentence that its citations bear out, and the slugs that it cites."""
    for sentence in _sentences(text):
        slugs = [slug.strip() for inside in _CITATION.findall(sentence) for slug in re.split(r"[,;]", inside)]
        body = " ".join(_CITATION.sub("", sentence).split())
        body = re.sub(r"\s+([.!?,;:])", r"\1", body)
        if not slugs or not body or any(slug not in known for slug in slugs):
            continue
        if is_grounded(body, [known[slug] for slug in slugs]):
            yield body if body[-1] in ".!?" else f"{body}.", list(dict.fromkeys(slugs))


def _sentences(text: str) -> list[str]:
    printable = "".join(char for char in text[:_TEXT_CHARACTERS_MAX] if char.isprintable() or char == "\n")
    plain = _LIST_MARK.sub("", printable).replace("**", "")
    return [part for part in _SENTENCE_END.split(_STOP_THEN_CITATIONS.sub(r" \2\1 ", plain)) if part.strip()]
