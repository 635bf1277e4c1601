"""Answers a question from the cards, or says that they do not cover it."""

from packaging.version import InvalidVersion, Version

from contracts.answer import Answer
from contracts.errors import RequestInvalid
from engines.answers.arithmetic import STATE_CARD, model_state
from engines.answers.danish import other_version, read_in_part, refusal, version_lead, versions_lead
from engines.answers.scope import is_covered
from engines.answers.versions import asked_version
from engines.answers.wording import WORDS_MAX, citation, compose, compose_versions
from knowledge.card import Card
from knowledge.search import Hit, Index, index
from knowledge.verification import recorded_versions

QUESTION_CHARACTERS_MAX = 4000
"""Of a longer question no more is read, and the answer says so: what is asked stands in the first lines."""
NEAREST = 3
"""Cards that are named where the question is not covered."""

_EVIDENCE_TRUST = {"probed": 0.95, "source_read": 0.9, "documented": 0.85, "reported": 0.7}
_CLEAR_MATCH_SCORE = 1.2


def answer_question(question: str, torch: str | None = None) -> Answer:
    """Answer a question about FSDP.

    Args:
        question: The question, in English or Danish.
        torch: Version of torch that is meant, such as `2.13`; read from the question, else
            the newest on which the cards were proved.

    Raises:
        RequestInvalid: The question is empty, or `torch` is no version.
    """
    whole = question.strip()
    if not whole:
        raise RequestInvalid("the question is empty", hint='ask, for example: "does FSDP2 need ShardedGradScaler?"')
    answer = _answered(whole[:QUESTION_CHARACTERS_MAX], torch)
    if len(whole) <= QUESTION_CHARACTERS_MAX:
        return answer
    return answer.model_copy(update={"notice": read_in_part(whole, QUESTION_CHARACTERS_MAX)})


def _answered(question: str, torch: str | None) -> Answer:
    version = _version(torch) if torch is not None else asked_version(question)
    found = index()
    hits = found.search(question)
    state = model_state(question)
    if state is not None:
        hits = _first(hits, STATE_CARD)
    if not is_covered(question, hits, found):
        return _not_covered(question, hits, version)
    if version is None:
        others = found.others(hits[0].card)
        if others:
            quoted, lead = [hits[0].card, *others], versions_lead(question)
            text = lead + compose_versions(quoted, WORDS_MAX - len(lead.split()))
            return _answer(text, quoted, hits, newest_known())
        version = newest_known()
    holding = [hit for hit in _swap_versions(hits, version, found) if hit.card.holds_in(version)]
    if not holding or holding[0].score < hits[0].score / 2:
        return _other_version(question, hits, version)
    text, quoted = compose(holding, version_lead(question, version) + (f" {state.sentence()}" if state else ""))
    return _answer(text, quoted, holding, version)


def newest_known() -> str:
    """Return the newest torch on which the cards were proved, without its patch number."""
    return ".".join(recorded_versions()[-1].split(".")[:2])


def _version(text: str) -> str:
    try:
        return Version(text).base_version
    except InvalidVersion:
        raise RequestInvalid(f"{text!r} is no version of torch", hint="give it as 2.13 or 2.13.0") from None


def _first(hits: list[Hit], slug: str) -> list[Hit]:
    """Put one card before all others where it was found."""
    chosen = [hit for hit in hits if hit.card.slug == slug]
    best = max((hit.score for hit in hits), default=0.0)
    return [hit._replace(score=best) for hit in chosen] + [hit for hit in hits if hit.card.slug != slug]


def _swap_versions(hits: list[Hit], version: str, found: Index) -> list[Hit]:
    """Replace a card that does not hold in a version by the one that answers for it."""
    swapped: dict[str, Hit] = {}
    for hit in hits:
        card = hit.card
        if not card.holds_in(version):
            card = next((c for c in found.others(card) if c.holds_in(version)), card)
        swapped.setdefault(card.slug, hit._replace(card=card))
    return list(swapped.values())


def _answer(text: str, quoted: list[Card], hits: list[Hit], version: str) -> Answer:
    trust = _EVIDENCE_TRUST[quoted[0].evidence]
    return Answer(
        covered=True,
        answer=text,
        citations=tuple(citation(card) for card in quoted),
        nearest=tuple(hit.card.slug for hit in hits[:NEAREST]),
        confidence=round(trust * min(1.0, hits[0].score / _CLEAR_MATCH_SCORE), 2),
        torch=version,
    )


def _not_covered(question: str, hits: list[Hit], version: str | None) -> Answer:
    nearest = tuple(hit.card.slug for hit in hits[:NEAREST])
    return Answer(covered=False, answer=refusal(question), nearest=nearest, confidence=0.0, torch=version or "")


def _other_version(question: str, hits: list[Hit], version: str) -> Answer:
    card = hits[0].card
    text = other_version(question, version, card.slug, card.torch)
    return Answer(covered=False, answer=text, nearest=(card.slug,), confidence=0.0, torch=version)
