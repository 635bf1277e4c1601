"""Operations on the knowledge base that all doors share."""

import difflib
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence

from packaging.version import InvalidVersion, Version

from contracts.errors import RequestInvalid
from contracts.probe import CardVerdict
from interfaces.results_kb import CardList, CardRow, CardText, Verification
from knowledge.card import Card
from knowledge.cards import cards
from knowledge.search import index
from knowledge.verification import probes_of, record, recorded, recorded_versions, settle, verdict_of


def list_cards(kind: str | None = None, applies_to: Sequence[str] = (), torch: str | None = None) -> CardList:
    """Return the cards that meet every condition given.

    Args:
        kind: Sort of statement.
        applies_to: About one of these.
        torch: Holding in this version.

    Raises:
        RequestInvalid: `torch` is no version.
    """
    version = _version(torch)
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
        RequestInvalid: The query is empty, or `torch` is no version.
    """
    if not query.strip():
        raise RequestInvalid("the query is empty", hint="give a few words, a symbol or an error message")
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
    from runners import ProbeHost, usable_cores

    chosen = [_card(slug) for slug in slugs] or list(cards().values())
    python = interpreter or sys.executable
    started_s = time.monotonic()
    verdicts: dict[str, CardVerdict] = {}

    def settled(verdict: CardVerdict) -> None:
        verdicts[verdict.card] = verdict
        if progress is not None:
            progress(verdict)

    with ProbeHost(python) as host:
        open_cards = []
        for card in chosen:
            verdict = settle(card, host.torch)
            if verdict is None:
                open_cards.append(card)
            else:
                settled(verdict)
        for outcome in host.run(probes_of(open_cards, host.torch), jobs=jobs or min(4, usable_cores())):
            for card in open_cards:
                if card.probe == outcome.probe:
                    settled(verdict_of(card, host.torch, outcome))
        torch = host.torch
    ordered = tuple(verdicts[slug] for slug in sorted(verdicts))
    return Verification(
        torch=torch,
        interpreter=python,
        seconds=round(time.monotonic() - started_s, 1),
        counts=dict(Counter(verdict.verdict for verdict in ordered)),
        verdicts=ordered,
        written=tuple(map(str, record(ordered, cards()))) if write else (),
    )


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


def _version(torch: str | None) -> str | None:
    if torch is None:
        return None
    try:
        return Version(torch).base_version
    except InvalidVersion:
        raise RequestInvalid(f"{torch!r} is no version of torch", hint="give it as 2.13 or 2.13.0") from None
