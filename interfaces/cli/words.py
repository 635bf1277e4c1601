"""The words around a plan and a launch on a terminal, in English and Danish; settings and names stay as they are."""

from contracts.request import Language
from contracts.wording import Sentences, told

_WORDS: Sentences = {
    "plan": ("plan", "plan"),
    "ranks": ("{n} ranks", "{n} ranks"),
    "rank": ("{n} rank", "{n} rank"),
    "not_judged": ("not judged: a script of your own", "ikke vurderet: dit eget script"),
    "not_predicted": ("memory not predicted", "hukommelsen er ikke forudsagt"),
    "no_device": ("no device memory to judge it by", "enhedens hukommelse kendes ikke"),
    "fits": ("fits", "kan være der"),
    "may_not_fit": ("may not fit", "kan måske ikke være der"),
    "does_not_fit": ("does not fit", "kan ikke være der"),
    "not_on_these": (", but it does not fit on these GPUs", ", men det kan ikke være på disse GPU'er"),
    "peak": (
        "peak per rank: {reserved:size} reserved, {active:size} active (+-{error:g} %), in {phase}; "
        "first step {first:size}",
        "spidsforbrug pr. rank: {reserved:size} reserveret, {active:size} aktivt (+-{error:g} %), i {phase}; "
        "første trin {first:size}",
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
    "for_each_rank": ("{size:size} for each rank", "{size:size} for hver rank"),
    "gib": ("{gib:size}", "{gib:size}"),
    "cores": ("{n} cores", "{n} kerner"),
    "core": ("{n} core", "{n} kerne"),
    "and_gpus": (" and {n} GPUs", " og {n} GPU'er"),
    "and_gpu": (" and {n} GPU", " og {n} GPU"),
    "limit_memory": ("memory of a process {n:g} GiB", "hukommelsen for en proces {n:g} GiB"),
    "limit_file": ("a file {n:g} GiB", "en fil {n:g} GiB"),
    "limit_processes": ("{n} processes", "{n} processer"),
    "never_restarts": ("never by itself", "aldrig af sig selv"),
    "restarts_within": (" within {time}", " inden for {time}"),
    "restarts_up_to": (
        "up to {n} times{within}, {least} to {most} apart; not after the same error at the same step",
        "op til {n} gange{within}, med {least} til {most} imellem; ikke efter samme fejl i samme trin",
    ),
    "silent_logs": (
        "; without heartbeats {time} of silent logs",
        "; uden heartbeats {time} med tavse logfiler",
    ),
    "no_sign": (
        "no sign of life for: {phases}; or {factor:g} times the longest seen{log}",
        "intet livstegn i: {phases}; eller {factor:g} gange det længste, der er set{log}",
    ),
    "trial": ("trial", "forsøg"),
    "tokens_s": ("tokens/s", "tokens/s"),
    "predicted": ("predicted", "forventet"),
    "ratio": ("ratio", "forhold"),
    "step_s": ("step s", "trin s"),
    "peak_gib": ("peak GiB", "spids GiB"),
    # meshes and scaling
    "mesh": ("mesh", "mesh"),
    "replicas_ranks": ("replicas x ranks", "replikaer x ranks"),
    "reserved_gib": ("reserved (GiB)", "reserveret (GiB)"),
    "it_fits": ("fits", "kan være der"),
    "speed_per_gpu": ("tokens/s per GPU", "tokens/s pr. GPU"),
    "network_gb": ("network (GB)", "netværk (GB)"),
    "taken": ("taken", "valgt"),
    "machines": ("machines", "maskiner"),
    "gpus": ("GPUs", "GPU'er"),
    "batch_tokens": ("batch (tokens)", "batch (tokens)"),
    "with_failures": ("with failures", "med fejl"),
    "efficiency": ("efficiency", "effektivitet"),
    "yes": ("yes", "ja"),
    "no": ("no", "nej"),
    "number": ("{n:,.{digits}f}", "{n:,.{digits}f}"),
    "source": ("source", "kilde"),
    "saving": (
        "checkpoint: every {interval:,.0f} minutes ({steps:,} steps), {gb:,.0f} GB in {write:,.0f} s; a failure every "
        "{hours:,.1f} hours; {useful:.1f} % of the time makes progress, {saves:.1f} % saves, {lost:.1f} % is lost",
        "checkpoint: hvert {interval:,.0f}. minut ({steps:,} trin), {gb:,.0f} GB på {write:,.0f} s; en fejl på "
        "{hours:,.1f} timer; {useful:.1f} % af tiden giver fremskridt, {saves:.1f} % gemmer, {lost:.1f} % går tabt",
    ),
    # what was changed after a failure
    "round": ("round {n}", "runde {n}"),
    "run_failed": ("run {run} failed: {cause}", "kørsel {run} fejlede: {cause}"),
    "cause": ("cause", "årsag"),
    "change": ("change", "ændring"),
    "costs": ("costs", "koster"),
    "starts_from": ("starts from", "starter fra"),
    "no_checkpoint": ("no checkpoint", "intet checkpoint"),
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
    return told(_WORDS, key, language, **values)


def label(key: str, language: Language) -> str:
    """Return the word before a line of a launch, as wide as all of them."""
    return f"{word(key, language):<12}"
