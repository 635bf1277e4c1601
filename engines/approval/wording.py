"""The words of an approval question, in English and Danish."""

from contracts.request import Language

WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "summary": "Start a {kind} job on {ranks} {device} ranks, {steps} steps. "
        "Predicted: {peak} GiB per rank, {minutes} minutes.",
        "command": "command",
        "folder": "working folder",
        "ranks": "nodes x ranks",
        "sets": "sets",
        "passes": "passes from the environment",
        "writes": "writes",
        "hash": "hash",
        "inputs": "Files whose content is approved:",
    },
    "da": {
        "summary": "Start et {kind}-job på {ranks} {device}-ranks, {steps} trin. "
        "Forventet: {peak} GiB pr. rank, {minutes} minutter.",
        "command": "kommando",
        "folder": "arbejdsmappe",
        "ranks": "noder x ranks",
        "sets": "sætter",
        "passes": "giver videre fra miljøet",
        "writes": "skriver",
        "hash": "hash",
        "inputs": "Filer, hvis indhold godkendes:",
    },
}
