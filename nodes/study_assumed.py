"""What a study assumes, in words: everything that neither request nor question states."""

from collections.abc import Iterator

from contracts.need import Need
from contracts.request import Request
from engines.sizing.half_precision import without_bf16
from engines.sizing.throughput.fitted import FITTED
from engines.study.cells import Cell
from engines.study.decompose import DEFAULT_SEQ_LEN, MOST_CHARACTERS, MOST_CONDITIONS, MOST_OPTIONS
from engines.study.facts import Facts
from engines.study.labels import joined, value_label
from engines.study.outline import Choice, Contradiction
from engines.study.texts import text
from engines.study.vocabulary import default_of
from nodes.study_job import Job

_LEARNING_AXES = frozenset({"method", "optimizer", "precision", "reduction"})


def assumed_texts(request: Request, need: Need, job: Job, facts: Facts, checkpointing: dict[int, str]) -> Iterator[str]:
    """Yield what was assumed, the weightiest first.

    Args:
        request: What was asked.
        need: What was read out of the text.
        job: The job.
        facts: What was found out.
        checkpointing: By condition, which activation checkpointing was taken without being asked.
    """
    language, axes = facts.language, set(facts.outline.topics)
    yield from (_contradiction(one, facts) for one in facts.outline.contradictions)
    yield from _reading(facts)
    budget = facts.outline.budget
    if budget.price is not None and not budget.per_gpu:
        yield text("price_each", language, price=facts.number(budget.price, 2), currency=budget.currency)
    if facts.outline.filled and (default := default_of(facts.outline.filled)):
        named = value_label(Choice(default.axis, default.name), facts.known, language)
        yield text("read_as_tied", language, default=named)
    yield from (gap.question for gap in need.missing if gap.code.startswith("reading_"))
    if job.machine is not None:
        alike = len(checkpointing) > 1 and len(set(checkpointing.values())) == 1
        for place, taken in list(checkpointing.items())[: 1 if alike else None]:
            yield text(f"assume_ac_{taken}", language, at="" if alike else facts.at(place))
    stated = request.recipe.model_fields_set
    unsaid = not axes & {"seq_len"} and "seq_len" not in stated and need.extracted.seq_len is None
    if unsaid or facts.outline.assumed_seq_len:
        yield text("assume_seq_len", language, tokens=facts.number(DEFAULT_SEQ_LEN, 0))
    if "micro_batch" not in stated | axes and need.extracted.batch is None:
        yield text("assume_batch", language)
    if "grad_accum" not in axes and any("grad_accum" in one.changes for one in facts.outline.conditions):
        shown = joined([facts.condition(place) for place in range(len(facts.outline.conditions))], language)
        yield text("assume_accumulation", language, counts=shown)
    if not axes & {"method", "optimizer"} and request.method is None and need.extracted.method is None:
        yield text("assume_method", language)
    if job.machine is not None and without_bf16(job.machine.device) and "precision" not in axes:
        yield text("assume_fp16", language, gpu=job.machine.device.name)
    yield from _machines(job, facts, need, request)
    if job.machine is not None and not any(cell.measured_tokens_per_s for cell in facts.cells):
        yield text("open_settings", language)
    if any(cell.settings.get("cp", 1) != 1 for cell in _cells(facts)):
        yield text("cp_waiting", language)
    if any(cell.host_gib_per_node for cell in facts.cells) and job.machine is not None:
        yield text("offload_rates", language)
    if any(cell.settings.get("optimizer_on_cpu") for cell in facts.cells):
        yield text("optimizer_alone", language)
    ran = [cell for cell in facts.cells if cell.measured_tokens_per_s is not None]
    if ran:
        twice = all(len(cell.more_parts) > 1 for cell in ran)
        yield text("trials_twice" if twice else "trials_once", language)
        if job.machine is None:
            yield text("trials_cpu", language)
    weighed = {choice.axis for option in facts.outline.options for choice in option.choices}
    if weighed & _LEARNING_AXES:
        yield text("quality", language, names=facts.names([cell for cell in facts.cells if cell.condition == 0]))


def _reading(facts: Facts) -> Iterator[str]:
    """Yield what of the question was not looked at, and what was taken from it."""
    outline, language = facts.outline, facts.language
    if len(outline.question) > MOST_CHARACTERS:
        values = {"read": facts.number(MOST_CHARACTERS, 0), "count": facts.number(len(outline.question), 0)}
        yield text("read_in_part", language, **values)
    for part in outline.unlooked:
        yield text("unlooked", language, part=part)
    if outline.left_out:
        most = {"options": MOST_OPTIONS, "conditions": MOST_CONDITIONS}
        yield text("left_out", language, count=outline.left_out, **most)
    if outline.held:
        settings = [value_label(choice, facts.known, language) for choice in outline.held]
        yield text("held", language, settings=joined(settings, language))


def _contradiction(one: Contradiction, facts: Facts) -> str:
    said, stated = (
        joined([value_label(Choice(one.axis, value), facts.known, facts.language) for value in values], facts.language)
        for values in (one.said, (one.stated,))
    )
    return text("field_holds" if one.holds else "field_left", facts.language, said=said, stated=stated)


def _cells(facts: Facts) -> list[Cell]:
    return [*facts.cells, *(remedy.cell for remedy in facts.remedies.values() if remedy)]


def _machines(job: Job, facts: Facts, need: Need, request: Request) -> Iterator[str]:
    if job.machine is None or job.nodes < 2:
        return
    if need.extracted.nodes is None and "nodes" not in request.hardware.model_fields_set:
        yield text("assume_nodes", facts.language, per_node=job.per_node)
    fabric = job.machine.fabric(job.ranks)
    if fabric.assumed:
        rate = facts.number(fabric.network_gb_per_s, 1)
        yield text("assume_network", facts.language, link=fabric.assumed.name, rate=rate)
    yield text("clean_network", facts.language, pct=facts.number(100 * FITTED.network_reach, 0))
