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

    What no longer speaks of the present leaves every file: entries of cards that are gone
    or lost their probe, and of probes that have changed since.

    Returns:
        The files of the versions that were verified.

    Raises:
        OSError: The folder cannot be written.
    """
    by_torch: dict[str, list[CardVerdict]] = {torch: [] for torch in recorded_versions(folder)}
    for verdict in verdicts:
        by_torch.setdefault(verdict.torch, []).append(verdict)
    for torch, group in by_torch.items():
        entries = recorded(torch, folder) | {verdict.card: _entry(verdict, cards, folder) for verdict in group}
        kept = {slug: entry for slug, entry in sorted(entries.items()) if _is_current(slug, entry, cards, folder)}
        path = _file(torch, folder)
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f".{path.name}.{os.getpid()}")
        fresh.write_text(json.dumps({"torch": torch, "cards": kept}, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        fresh.replace(path)
    recorded_versions.cache_clear()
    return [_file(torch, folder) for torch, group in by_torch.items() if group]


def recorded(torch: str, folder: Path = FOLDER) -> dict[str, Record]:
    """Return what was recorded for a version of torch, by card; empty where nothing was."""
    path = _file(torch, folder)
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


def _file(torch: str, folder: Path) -> Path:
    return folder / "verified" / f"{torch}.json"


def _is_current(slug: str, entry: Record, cards: Cards, folder: Path) -> bool:
    probe = cards[slug].probe if slug in cards else None
    return probe is not None and entry.get("probe_sha256", "") in ("", probe_digest(probe, folder))


def _entry(verdict: CardVerdict, cards: Cards, folder: Path) -> Record:
    entry: Record = {"verdict": verdict.verdict}
    probe = cards[verdict.card].probe
    if probe is not None and verdict.verdict != "not_applicable":
        entry |= {"observed": verdict.observed, "probe_sha256": probe_digest(probe, folder)}
    if verdict.detail:
        entry["detail"] = verdict.detail
    return entry
