"""The words of an approval question, in English and Danish."""

from contracts.request import Language

WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "summary": "Start a {kind} job on {ranks} {device} ranks, {steps} steps. "
        "Predicted: {peak} GiB per rank, {minutes} minutes.",
        "summary_script": "Start your script on {ranks} {device} ranks. "
        "Predicted: {peak} GiB per rank, {minutes} minutes.",
        "findings": "What the review found:",
        "no_findings": "The review found nothing.",
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
        "summary_script": "Start dit script på {ranks} {device}-ranks. "
        "Forventet: {peak} GiB pr. rank, {minutes} minutter.",
        "findings": "Gennemgangen fandt:",
        "no_findings": "Gennemgangen fandt intet.",
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
