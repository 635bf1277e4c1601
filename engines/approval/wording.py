"""The words of an approval question, in English and Danish."""

from contracts.request import Language

WORDS: dict[Language, dict[str, str]] = {
    "en": {
        "summary": "Start a {kind} job on {ranks} {device} ranks, {steps} steps. "
        "Predicted: {peak} GiB per rank, {minutes} minutes.",
        "summary_script": "Start your script on {ranks} {device} ranks. "
        "Predicted: {peak} GiB per rank, {minutes} minutes.",
        "summary_trials": "Run {count} trials, one after the other, of a few steps each on {ranks} {device} ranks. "
        "Predicted: {peak} GiB per rank at most, {minutes} minutes in all.",
        "launches": "It starts these in turn, with the same interpreter:",
        "warnings": "Warnings:",
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
        "changed": "Round {round}. Run {run} failed of {cause}, and this is changed:",
        "costs": "it costs",
        "starts_from": "starts from",
        "no_checkpoint": "no checkpoint",
    },
    "da": {
        "summary": "Start et {kind}-job på {ranks} {device}-ranks, {steps} trin. "
        "Forventet: {peak} GiB pr. rank, {minutes} minutter.",
        "summary_script": "Start dit script på {ranks} {device}-ranks. "
        "Forventet: {peak} GiB pr. rank, {minutes} minutter.",
        "summary_trials": "Kør {count} forsøg efter hinanden på nogle få trin hver på {ranks} {device}-ranks. "
        "Forventet: højst {peak} GiB pr. rank, {minutes} minutter i alt.",
        "launches": "Det starter disse efter tur med samme fortolker:",
        "warnings": "Advarsler:",
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
        "changed": "Runde {round}. Kørsel {run} fejlede på grund af {cause}, og dette ændres:",
        "costs": "det koster",
        "starts_from": "starter fra",
        "no_checkpoint": "intet checkpoint",
    },
}
