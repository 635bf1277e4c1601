"""What would fit under a condition under which nothing that a study weighs does: the fewest changes first."""

from collections.abc import Iterator
from typing import Any

from contracts.errors import FsdpAgentError
from contracts.request import Language
from engines.study.cells import Cell
from engines.study.facts import Facts, Remedy
from nodes.study_estimates import estimate
from nodes.study_job import Job

_LONG_TOKENS = 16384
"""Tokens from which on context parallelism is worth its ring."""

_MORE_GPUS = (2, 4, 8, 16)
"""How many times the GPUs are tried."""

_SHORTER = (4096, 2048, 1024)
"""Lengths that are tried where none was stated."""

_TIGHT = {"expandable_segments": True}
"""PYTORCH_ALLOC_CONF=expandable_segments:True leaves fewer holes."""

_WORDS = {
    "ac": ("full activation checkpointing", "fuld activation checkpointing"),
    "fused_linear": ("a fused linear loss", "en fused linear loss"),
    "cpu_offload": ("CPU offload", "CPU offload"),
    "expandable": ("expandable segments", "expandable segments"),
    "tokens": ("{n} tokens", "{n} tokens"),
    "gpus": ("{n} GPUs", "{n} GPU'er"),
}


def remedy(job: Job, facts: Facts, condition: int) -> Remedy | None:
    """Return the first of a ladder of changes to the leanest option with which it fits; None: none does.

    Args:
        job: The job.
        facts: What was found out.
        condition: Place of the condition.
    """
    outline = facts.outline
    nearest = min(facts.of(condition), key=lambda cell: cell.peak_gib)
    option = outline.options[nearest.option]
    weighed = {**outline.fixed, **outline.conditions[condition].changes, **option.changes}
    most = max(one.changes.get("@gpus", 0) for one in outline.options)
    for changes, words in _ladder(job, weighed, most, facts.language):
        try:
            cell = estimate(job.changed({**weighed, **changes}), nearest.option, condition, facts.language)
        except FsdpAgentError:
            continue  # a degree that does not divide here
        if cell.fits:
            # what holds by default needs no name
            named = [] if nearest.option == 0 else [facts.name(nearest)]
            said = _WORDS["cpu_offload"] if weighed.get("cpu_offload") else ()  # the option's name says it
            return Remedy(cell, " + ".join(dict.fromkeys([*named, *(word for word in words if word not in said)])))
    return None


def without_room(cells: list[Cell], condition: int) -> bool:
    """Tell whether nothing is sure to fit under a condition, though the device is known."""
    here = [cell for cell in cells if cell.condition == condition and cell.known]
    return bool(here) and all(cell.capacity_gib is not None and not cell.fits for cell in here)


def _ladder(
    job: Job, weighed: dict[str, Any], most: int, language: Language
) -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
    """Yield changes and their names, those first that cost least."""
    danish = language == "da"
    ac, loss, offload, tight = (_WORDS[key][danish] for key in ("ac", "fused_linear", "cpu_offload", "expandable"))
    seq_len = weighed.get("seq_len") or job.settings["seq_len"]
    ranks = weighed.get("@gpus", job.ranks)
    lean: dict[str, Any] = {"ac": "full"}
    leaner = {**lean, "loss_impl": "fused_linear"}
    leanest = {**leaner, **_TIGHT, "cpu_offload": True}
    yield lean, (ac,)
    yield leaner, (ac, loss)
    yield {**leaner, **_TIGHT}, (ac, loss, tight)
    degrees = [n for n in (2, 4, 8, 16, 32, 64) if n <= ranks] if seq_len >= _LONG_TOKENS else []
    for degree in degrees:
        yield {**lean, "@cp": degree}, (f"CP {degree}", ac)
        yield {**leaner, "@cp": degree}, (f"CP {degree}", ac, loss)
    yield {**leaner, "cpu_offload": True}, (ac, loss, offload)
    yield leanest, (ac, loss, offload, tight)
    for degree in degrees:
        yield {**leaner, "@cp": degree, "cpu_offload": True}, (f"CP {degree}", ac, loss, offload)
    if most > ranks:
        yield {**leanest, "@gpus": most}, (_WORDS["gpus"][danish].format(n=most), ac, loss, offload, tight)
    for length in _SHORTER if "seq_len" not in weighed else ():
        if length < seq_len:
            shown = _WORDS["tokens"][danish].format(n=length)
            yield {**leanest, "seq_len": length}, (shown, ac, loss, offload, tight)
    for times in _MORE_GPUS:
        gpus = ranks * times
        more = _WORDS["gpus"][danish].format(n=gpus)
        yield {**lean, "@gpus": gpus}, (more, ac)
        yield {**leaner, "@gpus": gpus}, (more, ac, loss)
        for degree in degrees:
            yield {**leaner, "@gpus": gpus, "@cp": degree}, (more, f"CP {degree}", ac, loss)
