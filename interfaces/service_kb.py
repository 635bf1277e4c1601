"""Operations on the knowledge base that all doors share."""

import difflib
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import get_args

from packaging.version import InvalidVersion, Version

from contracts.errors import RequestInvalid
from contracts.probe import CardVerdict
from interfaces.results_kb import CardList, CardRow, CardText, Verification
from knowledge.card import Card, Kind, Subject
from knowledge.cards import cards
from knowledge.search import index
from knowledge.verification import probes_of, record, recorded, recorded_versions, settle, verdict_of

_JOBS_MAX = 4
_OLDEST_TORCH = (1, 11)
"""The first release with FullyShardedDataParallel."""


def list_cards(kind: str | None = None, applies_to: Sequence[str] = (), torch: str | None = None) -> CardList:
    """Return the cards that meet every condition given.

    Args:
        kind: Sort of statement.
        applies_to: About one of these.
        torch: Holding in this version.

    Raises:
        RequestInvalid: There is no such kind or subject, or `torch` is no version that anything is known of.
    """
    version = _version(torch)
    _known("kind", [kind] if kind is not None else [], get_args(Kind))
    _known("applies-to", applies_to, get_args(Subject))
    chosen = [
        card
        for card in cards().values()
        if (kind is None or card.kind == kind)
        and (not applies_to or set(applies_to) & set(card.applies_to))
        and (version is None or card.holds_in(version))
    ]
    return CardList(cards=tuple(_row(card) for card in chosen))


def show_card(slug: str) -> CardText:
    """Return one card.

    Raises:
        RequestInvalid: There is no such card.
    """
    card = _card(slug)
    found = {torch: recorded(torch).get(slug) for torch in recorded_versions()}
    return CardText(card=card, recorded={torch: entry["verdict"] for torch, entry in found.items() if entry})


def search_cards(query: str, limit: int = 10, torch: str | None = None, applies_to: Sequence[str] = ()) -> CardList:
    """Return the best cards for a query, the best first.

    Raises:
        RequestInvalid: The query is empty, there is no such subject, or `torch` is no version that
            anything is known of.
    """
    if not query.strip():
        raise RequestInvalid("the query is empty", hint="give a few words, a symbol or an error message")
    _known("applies-to", applies_to, get_args(Subject))
    hits = index().search(query, limit=limit, torch=_version(torch), applies_to=applies_to)
    return CardList(cards=tuple(_row(hit.card, round(hit.score, 3)) for hit in hits))


def verify_cards(
    slugs: Sequence[str] = (),
    interpreter: str | None = None,
    *,
    write: bool = False,
    jobs: int | None = None,
    progress: Callable[[CardVerdict], None] | None = None,
) -> Verification:
    """Run the probes of cards against the torch of an interpreter.

    Args:
        slugs: Cards; all where none is named.
        interpreter: Python whose torch is asked about; the agent's own where absent.
        write: Record the verdicts in the product's folder.
        jobs: Probes that run at a time; as many as there are cores, 4 at most, where absent.
        progress: Called with each verdict as it comes.

    Raises:
        RequestInvalid: There is no such card.
        RunnerError: The interpreter has no usable torch.
    """
    chosen = [_card(slug) for slug in dict.fromkeys(slugs)] or list(cards().values())
    python = interpreter or sys.executable
    started_s = time.monotonic()
    verdicts: list[CardVerdict] = []
    for verdict in _verdicts(chosen, python, jobs):
        verdicts.append(verdict)
        if progress is not None:
            progress(verdict)
    ordered = tuple(sorted(verdicts, key=lambda verdict: verdict.card))
    return Verification(
        torch=ordered[0].torch,
        interpreter=python,
        seconds=round(time.monotonic() - started_s, 1),
        counts=dict(Counter(verdict.verdict for verdict in ordered)),
        verdicts=ordered,
        written=tuple(map(str, record(ordered, cards()))) if write else (),
    )


def _verdicts(chosen: Sequence[Card], python: str, jobs: int | None) -> Iterator[CardVerdict]:
    """Yield the verdict of each card once, those that need no probe first."""
    from runners import ProbeHost, usable_cores

    with ProbeHost(python) as host:
        settled = {card.slug: settle(card, host.torch) for card in chosen}
        yield from (verdict for verdict in settled.values() if verdict is not None)
        waiting: dict[str, list[Card]] = {}
        for card in chosen:
            if settled[card.slug] is None and card.probe is not None:
                waiting.setdefault(card.probe, []).append(card)
        probes = probes_of(chosen, host.torch)
        for outcome in host.run(probes, jobs=jobs or min(_JOBS_MAX, usable_cores())):
            yield from (verdict_of(card, host.torch, outcome) for card in waiting[outcome.probe])


def _card(slug: str) -> Card:
    try:
        return cards()[slug]
    except KeyError:
        near = difflib.get_close_matches(slug, cards(), n=3)
        hint = f"did you mean {', '.join(near)}?" if near else "see fsdp-agent kb list"
        raise RequestInvalid(f"no card is called {slug!r}", code="unknown_card", hint=hint) from None


def _row(card: Card, score: float | None = None) -> CardRow:
    fields = {name: getattr(card, name) for name in ("title", "claim", "kind", "applies_to", "torch", "evidence")}
    return CardRow(card=card.slug, **fields, score=score)


def _known(option: str, given: Sequence[str], allowed: Sequence[str]) -> None:
    """Refuse a word that no card has: an empty list would look like an answer."""
    for word in given:
        if word not in allowed:
            raise RequestInvalid(f"--{option} {word!r} is not known", hint=f"allowed: {', '.join(allowed)}")


def _version(torch: str | None) -> str | None:
    if torch is None:
        return None
    try:
        version = Version(torch)
    except InvalidVersion:
        raise RequestInvalid(f"{torch!r} is no version of torch", hint="give it as 2.13 or 2.13.0") from None
    newest = max(map(Version, recorded_versions()))
    if not _OLDEST_TORCH <= version.release[:2] <= newest.release[:2]:
        oldest = ".".join(map(str, _OLDEST_TORCH))
        raise RequestInvalid(
            f"nothing is known of torch {torch}: the cards speak of {oldest} to {newest.major}.{newest.minor}",
            hint="leave --torch out, or name a version between these",
        )
    return version.base_version
