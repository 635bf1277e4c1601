"""What would fit under a condition under which nothing that a study weighs does: the fewest changes first."""

from collections.abc import Iterator
from typing import Any

from contracts.errors import FsdpAgentError
from contracts.request import Language
from engines.study.cells import Cell
from engines.study.facts import Remedy
from engines.study.outline import Outline
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


def remedy(job: Job, outline: Outline, condition: int, language: Language) -> Remedy | None:
    """Return the first of a ladder of changes to the first option with which it fits; None: none does.

    Args:
        job: The job.
        outline: The question taken apart.
        condition: Place of the condition.
        language: Language of the name.
    """
    # of sizes the largest: what does not fit there fits nowhere
    option = max(outline.options, key=lambda one: one.changes.get("@gpus", 0))
    weighed = {**outline.fixed, **outline.conditions[condition].changes, **option.changes}
    for changes, name in _ladder(job, weighed, language):
        try:
            cell = estimate(job.changed({**weighed, **changes}), 0, condition, language)
        except FsdpAgentError:
            continue  # a degree that does not divide here
        if cell.fits:
            return Remedy(cell, name)
    return None


def without_room(cells: list[Cell], condition: int) -> bool:
    """Tell whether nothing is sure to fit under a condition, though the device is known."""
    here = [cell for cell in cells if cell.condition == condition and cell.known]
    return bool(here) and all(cell.capacity_gib is not None and not cell.fits for cell in here)


def _ladder(job: Job, weighed: dict[str, Any], language: Language) -> Iterator[tuple[dict[str, Any], str]]:
    danish = language == "da"

    def named(*words: str) -> str:
        return " + ".join(words)

    ac, loss, offload, tight = (_WORDS[key][danish] for key in ("ac", "fused_linear", "cpu_offload", "expandable"))
    seq_len = weighed.get("seq_len") or job.settings["seq_len"]
    ranks = weighed.get("@gpus", job.ranks)
    lean: dict[str, Any] = {"ac": "full"}
    leaner = {**lean, "loss_impl": "fused_linear"}
    yield lean, ac
    yield leaner, named(ac, loss)
    yield {**leaner, **_TIGHT}, named(ac, loss, tight)
    degrees = [n for n in (2, 4, 8, 16, 32, 64) if n <= ranks] if seq_len >= _LONG_TOKENS else []
    for degree in degrees:
        yield {**lean, "@cp": degree}, named(f"CP {degree}", ac)
        yield {**leaner, "@cp": degree}, named(f"CP {degree}", ac, loss)
    yield {**leaner, "cpu_offload": True}, named(ac, loss, offload)
    yield {**leaner, **_TIGHT, "cpu_offload": True}, named(ac, loss, offload, tight)
    for degree in degrees:
        yield {**leaner, "@cp": degree, "cpu_offload": True}, named(f"CP {degree}", ac, loss, offload)
    for length in _SHORTER if "seq_len" not in weighed else ():
        shorter = {**leaner, **_TIGHT, "cpu_offload": True, "seq_len": length}
        if length < seq_len:
            yield shorter, named(_WORDS["tokens"][danish].format(n=length), ac, loss, offload, tight)
    for times in _MORE_GPUS:
        gpus = ranks * times
        more = _WORDS["gpus"][danish].format(n=gpus)
        yield {**lean, "@gpus": gpus}, named(more, ac)
        yield {**leaner, "@gpus": gpus}, named(more, ac, loss)
        for degree in degrees:
            yield {**leaner, "@gpus": gpus, "@cp": degree}, named(more, f"CP {degree}", ac, loss)
