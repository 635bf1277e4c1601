"""Probes as a job of the runner: approved, queued, watched and recorded like any other."""

from collections import Counter
from collections.abc import Sequence

from pydantic import ValidationError

from contracts.errors import RunnerError
from contracts.probe import CardVerdict, ProbeOutcome
from contracts.run import RunRecord
from contracts.settings import Settings
from interfaces.direct import Ask, submit_direct, until_end
from interfaces.results_probe import ProbeRun
from interfaces.service_jobs import open_runner
from interfaces.service_kb import show_card
from knowledge.card import Card
from knowledge.cards import FOLDER, cards
from knowledge.verification import probe_path, settle, verdict_of

_LIMIT_S = 3600.0
"""All probes on one slow core."""


def probe_cards(settings: Settings, slugs: Sequence[str], ask: Ask) -> ProbeRun:
    """Run the probes of cards in the training interpreter, as a job, and return what they say.

    Args:
        settings: The home folder and the training interpreter.
        slugs: Cards; all where none is named.
        ask: Asks a person; needed where the interpreter is not the agent's own.

    Raises:
        RequestInvalid: There is no such card, or none of them has a probe.
        NotAllowed: Nobody approved it.
        RunnerError: It left no result that can be read.
    """
    from runners import Home, prepare_probe

    chosen = [show_card(slug).card for slug in dict.fromkeys(slugs)] or list(cards().values())
    probes = {card.probe: probe_path(card.probe) for card in chosen if card.probe is not None}
    shared = FOLDER / "probes" / "_lab.py"
    prepared = prepare_probe(Home(settings.home), probes, shared, settings.interpreter)
    started = submit_direct(settings, prepared.launch, ask)
    return _read(until_end(open_runner(settings), started.run_id, _LIMIT_S), chosen)


def _read(run: RunRecord, chosen: Sequence[Card]) -> ProbeRun:
    if run.state != "done":
        return ProbeRun(run=run, torch="", counts={}, verdicts=())
    try:
        torch, given = str(run.result["torch"]), run.result["outcomes"]
        found = [ProbeOutcome.model_validate(entry) for entry in (given if isinstance(given, list) else [])]
        outcomes = {outcome.probe: outcome for outcome in found}
        verdicts = [_verdict(card, torch, outcomes) for card in sorted(chosen, key=lambda card: card.slug)]
    except (ValidationError, KeyError) as error:
        raise RunnerError(f"{run.run_id} left a result that is none of probes: {error}") from None
    counts = dict(Counter(verdict.verdict for verdict in verdicts))
    return ProbeRun(run=run, torch=torch, counts=counts, verdicts=tuple(verdicts))


def _verdict(card: Card, torch: str, outcomes: dict[str, ProbeOutcome]) -> CardVerdict:
    settled = settle(card, torch)
    return settled if settled is not None else verdict_of(card, torch, outcomes[str(card.probe)])
