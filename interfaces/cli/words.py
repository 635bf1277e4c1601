"""The words around a plan and a launch on a terminal, in English and Danish; settings and names stay as they are."""

from contracts.request import Language

_WORDS: dict[str, tuple[str, str]] = {
    "plan": ("plan", "plan"),
    "ranks": ("{n} ranks", "{n} ranks"),
    "rank": ("{n} rank", "{n} rank"),
    "not_predicted": ("memory not predicted", "hukommelsen er ikke forudsagt"),
    "no_device": ("no device memory to judge it by", "enhedens hukommelse kendes ikke"),
    "fits": ("fits", "kan være der"),
    "may_not_fit": ("may not fit", "kan måske ikke være der"),
    "does_not_fit": ("does not fit", "kan ikke være der"),
    "not_on_these": (", but it does not fit on these GPUs", ", men det kan ikke være på disse GPU'er"),
    "peak": (
        "peak per rank: {reserved} reserved, {active} active (+-{error:g} %), in {phase}; first step {first}",
        "spidsforbrug pr. rank: {reserved} reserveret, {active} aktivt (+-{error:g} %), i {phase}; første trin {first}",
    ),
    "margin": (
        "device {capacity:.2f} GiB - overhead {overhead:.2f} GiB - reserved = {margin:+.2f} GiB of margin",
        "enhed {capacity:.2f} GiB - overhead {overhead:.2f} GiB - reserveret = {margin:+.2f} GiB i margin",
    ),
    "margin_error": ("; the error of {error:g} % is {gib:.2f} GiB", "; fejlen på {error:g} % er {gib:.2f} GiB"),
    "at_the_peak": ("memory at the peak", "hukommelse ved spidsen"),
    "size": ("size", "størrelse"),
    "by_hand": ("by hand", "med håndregning"),
    "speed": (
        "{speed:,.0f} tokens/s per GPU (+-{error:g} %), {mfu:.1f} % of the peak FLOPs, bound by {bound}",
        "{speed:,.0f} tokens/s pr. GPU (+-{error:g} %), {mfu:.1f} % af de højeste FLOPs, begrænset af {bound}",
    ),
    "decision": ("decision", "beslutning"),
    "because": ("because", "fordi"),
    "instead": ("instead", "i stedet"),
    "assumed": ("assumed", "antaget"),
    "warning": ("warning", "advarsel"),
    "wrote": ("wrote", "skrev"),
    "no_findings": ("review: no findings", "gennemgang: ingen fund"),
    "runs": ("runs", "kører"),
    "in_turn": ("in turn", "efter tur"),
    "in": ("in", "i"),
    "ranks_label": ("ranks", "ranks"),
    "on": ("on", "på"),
    "sets": ("sets", "sætter"),
    "passes_on": ("passes on", "videregiver"),
    "no_variable": ("no variable", "ingen variabel"),
    "writes": ("writes", "skriver"),
    "takes": ("takes", "tager"),
    "takes_text": (
        "memory {peak}, time {minutes}; of this machine {taken}",
        "hukommelse {peak}, tid {minutes}; af denne maskine {taken}",
    ),
    "for_each_rank": ("{size} for each rank", "{size} for hver rank"),
    "minutes": ("{n:.0f} minutes", "{n:.0f} minutter"),
    "limits": ("limits", "grænser"),
    "restarts": ("restarts", "genstarter"),
    "hung_after": ("hung after", "hænger efter"),
    "reads": ("reads", "læser"),
    "file": ("file", "fil"),
    "hash": ("hash", "hash"),
    "waits": ("waits for approval of launch {hash}", "venter på godkendelse af kørsel {hash}"),
    "how_to_decide": (
        "approve it:  fsdp-agent approve {rest}\nreject it:   fsdp-agent reject {rest}",
        "godkend den: fsdp-agent approve {rest}\nafvis den:   fsdp-agent reject {rest}",
    ),
    "goes_on": (
        "run {run_id} goes on; watch it: fsdp-agent jobs follow {run_id}{home}",
        "kørsel {run_id} fortsætter; følg den: fsdp-agent jobs follow {run_id}{home}",
    ),
    "start_it": (
        "Start it? yes, no, or Enter to decide later: ",
        "Skal den startes? ja, nej, eller Enter for at afgøre det senere: ",
    ),
}


def word(key: str, language: Language, /, **values: object) -> str:
    """Return a word or a sentence with its values filled in.

    Args:
        key: Its name.
        language: In which language.
        **values: What it speaks of; they are inserted, never read as a template.
    """
    english, danish = _WORDS[key]
    return (danish if language == "da" else english).format(**values)


def label(key: str, language: Language) -> str:
    """Return the word before a line of a launch, as wide as all of them."""
    return f"{word(key, language):<12}"
