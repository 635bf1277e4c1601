"""Joins cards with what their probes found, and keeps the record for each version of torch."""

import hashlib
import json
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from packaging.version import Version

from contracts.probe import CardVerdict, ProbeOutcome
from knowledge.card import Card
from knowledge.cards import FOLDER, Cards

Record = dict[str, Any]
"""One card's entry: verdict, observed, detail, and the SHA-256 of the probe that ran."""


def probe_path(name: str, folder: Path = FOLDER) -> Path:
    """Return the file of a probe."""
    return folder / "probes" / f"{name}.py"


def settle(card: Card, torch: str) -> CardVerdict | None:
    """Return the verdict that needs no probe; None where the probe has to run.

    Args:
        card: The card.
        torch: Version of torch.
    """
    if not card.holds_in(torch):
        return CardVerdict(
            card=card.slug, verdict="not_applicable", torch=torch, detail=f"speaks of torch {card.torch}"
        )
    if card.probe is None:
        return CardVerdict(card=card.slug, verdict="unprobed", torch=torch, detail=card.unprobed or "")
    return None


def probes_of(cards: Iterable[Card], torch: str, folder: Path = FOLDER) -> dict[str, Path]:
    """Return the probes that have to run for these cards, each once."""
    needed = {card.probe for card in cards if card.probe is not None and settle(card, torch) is None}
    return {name: probe_path(name, folder) for name in sorted(needed)}


def verdict_of(card: Card, torch: str, outcome: ProbeOutcome) -> CardVerdict:
    """Return what a probe's outcome says about a card."""
    return CardVerdict(
        card=card.slug,
        verdict=outcome.verdict,
        torch=torch,
        seconds=outcome.seconds,
        observed=outcome.observed,
        detail=outcome.detail,
    )


def record(verdicts: Iterable[CardVerdict], cards: Cards, folder: Path = FOLDER) -> list[Path]:
    """Write verdicts into the files of their torch versions, beside what is there.

    A card that no longer exists, and one without a probe, leaves its entry behind.

    Returns:
        The files that were written.

    Raises:
        OSError: The folder cannot be written.
    """
    by_torch: dict[str, list[CardVerdict]] = {}
    for verdict in verdicts:
        by_torch.setdefault(verdict.torch, []).append(verdict)
    written = []
    for torch, group in by_torch.items():
        path = folder / "verified" / f"{torch}.json"
        entries = recorded(torch, folder) | {verdict.card: _entry(verdict, cards, folder) for verdict in group}
        kept = {slug: entries[slug] for slug in sorted(entries) if slug in cards and cards[slug].probe is not None}
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f".{path.name}.{os.getpid()}")
        fresh.write_text(json.dumps({"torch": torch, "cards": kept}, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        fresh.replace(path)
        written.append(path)
    return written


def recorded(torch: str, folder: Path = FOLDER) -> dict[str, Record]:
    """Return what was recorded for a version of torch, by card; empty where nothing was."""
    path = folder / "verified" / f"{torch}.json"
    if not path.exists():
        return {}
    entries: dict[str, Record] = json.loads(path.read_text(encoding="utf-8"))["cards"]
    return entries


@cache
def recorded_versions(folder: Path = FOLDER) -> tuple[str, ...]:
    """Return the versions of torch with a record, the oldest first."""
    names = [path.stem for path in (folder / "verified").glob("[!.]*.json")]
    return tuple(sorted(names, key=Version))


def probe_digest(name: str, folder: Path = FOLDER) -> str:
    """Return the SHA-256 of a probe and of what the probes share; a change makes a record stale."""
    digest = hashlib.sha256()
    for path in (probe_path(name, folder), folder / "probes" / "_lab.py"):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _entry(verdict: CardVerdict, cards: Cards, folder: Path) -> Record:
    entry: Record = {"verdict": verdict.verdict}
    probe = cards[verdict.card].probe
    if probe is not None and verdict.verdict != "not_applicable":
        entry |= {"observed": verdict.observed, "probe_sha256": probe_digest(probe, folder)}
    if verdict.detail:
        entry["detail"] = verdict.detail
    return entry
