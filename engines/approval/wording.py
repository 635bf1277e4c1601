"""The words of an approval question, in English and Danish."""

from contracts.request import Language
from contracts.wording import Sentences, told

_WORDS: Sentences = {
    "summary": (
        "Start a {kind} job on {ranks} {device} ranks, {steps} steps. Predicted: {peak} per rank, {minutes}.",
        "Start et {kind}-job på {ranks} {device}-ranks, {steps} trin. Forventet: {peak} pr. rank, {minutes}.",
    ),
    "summary_script": (
        "Start your script on {ranks} {device} ranks. Predicted: {peak} per rank, {minutes}.",
        "Start dit script på {ranks} {device}-ranks. Forventet: {peak} pr. rank, {minutes}.",
    ),
    "summary_trials": (
        "Run {count} trials, one after the other, of a few steps each on {ranks} {device} ranks. "
        "Predicted: {peak} per rank at most, {minutes} in all.",
        "Kør {count} forsøg efter hinanden på nogle få trin hver på {ranks} {device}-ranks. "
        "Forventet: højst {peak} pr. rank, {minutes} i alt.",
    ),
    "launches": (
        "It starts these in turn, with the same interpreter:",
        "Det starter disse efter tur med samme fortolker:",
    ),
    "warnings": (
        "Warnings:",
        "Advarsler:",
    ),
    "findings": (
        "What the review found:",
        "Gennemgangen fandt:",
    ),
    "no_findings": (
        "The review found nothing.",
        "Gennemgangen fandt intet.",
    ),
    "command": (
        "command",
        "kommando",
    ),
    "folder": (
        "working folder",
        "arbejdsmappe",
    ),
    "ranks": (
        "nodes x ranks",
        "noder x ranks",
    ),
    "sets": (
        "sets",
        "sætter",
    ),
    "passes": (
        "passes from the environment",
        "giver videre fra miljøet",
    ),
    "writes": (
        "writes",
        "skriver",
    ),
    "hash": (
        "hash",
        "hash",
    ),
    "inputs": (
        "Files whose content is approved:",
        "Filer, hvis indhold godkendes:",
    ),
    "changed": (
        "Round {round}. Run {run} failed of {cause}, and this is changed:",
        "Runde {round}. Kørsel {run} fejlede på grund af {cause}, og dette ændres:",
    ),
    "costs": (
        "it costs",
        "det koster",
    ),
    "starts_from": (
        "starts from",
        "starter fra",
    ),
    "no_checkpoint": (
        "no checkpoint",
        "intet checkpoint",
    ),
    "gib": ("{n:.3f} GiB", "{n:.3f} GiB"),
    "gib_unknown": ("? GiB", "? GiB"),
    "time": ("{n:.0f} minutes", "{n:.0f} minutter"),
    "time_unknown": ("? minutes", "? minutter"),
}
"""By name: English, Danish."""


def said(key: str, language: Language, /, **values: object) -> str:
    """Return a word or a sentence of the question with its values filled in."""
    return told(_WORDS, key, language, **values)
