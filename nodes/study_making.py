"""Making a study: the question is taken apart, looked up, estimated, run dry, tried, and concluded."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from langgraph.runtime import Runtime

from contracts.errors import CannotBeKnown
from contracts.need import Need
from contracts.request import Language, Request
from contracts.settings import Settings
from contracts.study import Part, Study
from contracts.trials import Trial, TrialResult
from engines.study.assemble import assemble
from engines.study.cells import Cell
from engines.study.claims import claims_of
from engines.study.conclude import conclude
from engines.study.decompose import MOST_CHARACTERS, decompose
from engines.study.facts import Facts
from engines.study.labels import number
from engines.study.outline import Outline
from engines.study.texts import text
from nodes.setting import tell
from nodes.study_assumed import assumed_texts
from nodes.study_dryruns import MOST, dry_run, wanted
from nodes.study_estimates import estimated
from nodes.study_job import Job, job_of, known_of
from nodes.study_remedies import remedy, without_room
from nodes.study_trials import Planned, trial_parts, trials_of, with_measurements

_BILLION, _MILLION = 10**9, 10**6
_NOTHING_WEIGHED = (
    "the question weighs nothing that can be estimated: it names fewer than two configurations",
    "spørgsmålet afvejer intet, der kan beregnes: det nævner færre end to konfigurationer",
)
_NOTHING_WEIGHED_HINT = (
    'name what is to be compared, such as "HSDP or full sharding" or "8 or 16 GPUs"; without --study it is looked up',
    'nævn det, der skal sammenlignes, f.eks. "HSDP eller fuld sharding" eller "8 eller 16 GPU\'er"; uden --study '
    "slås det op",
)

_UNCLEAR = (
    'it is not clear which settings belong together in "{words}"',
    'det er ikke klart, hvilke indstillinger der hører sammen i "{words}"',
)
_UNCLEAR_HINT = (
    'name all settings of each side, such as "micro-batch 4 with full AC or micro-batch 1 without AC"',
    'nævn alle indstillinger på hver side, f.eks. "mikro-batch 4 med fuld AC eller mikro-batch 1 uden AC"',
)


@dataclass(frozen=True)
class Outcome:
    """What trials are known to have come to."""

    results: tuple[TrialResult, ...] = ()
    """What was measured, in the order of the trials."""
    run_id: str = ""
    """The run that measured it."""
    refused: str = ""
    """Why they were not run; empty while they may be."""


@dataclass(frozen=True)
class Made:
    """A study, and the trials that would decide what it leaves open."""

    study: Study
    """The study."""
    trials: tuple[Trial, ...]
    """Empty where there is nothing to try, or where they ran."""


def make_study(request: Request, need: Need, runtime: Runtime[Settings], outcome: Outcome | None = None) -> Made:
    """Make a study; with the outcome of its trials it is made again, and differs in what they decide.

    Args:
        request: What was asked.
        need: Its Need, with what was read out of the text.
        runtime: Home folder, interpreter and who listens.
        outcome: What came of the trials; None: they have not been put forward.

    Raises:
        CannotBeKnown: The question weighs nothing, or model or machine are not stated.
        InputError: The model folder cannot be read, or settings contradict each other.
    """
    language, said = need.language, need.extracted
    tell(runtime, "decomposing", text("doing_decompose", language))
    outline = decompose(request.text, known_of(request, said))
    danish = language == "da"
    if outline.unclear:
        message = _UNCLEAR[danish].format(words=outline.unclear)
        raise CannotBeKnown(message, code="pairing_unclear", hint=_UNCLEAR_HINT[danish])
    if outline.configurations < 2:
        message = _NOTHING_WEIGHED[danish]
        if len(request.text) > MOST_CHARACTERS:
            values = {"read": number(MOST_CHARACTERS, language, 0), "count": number(len(request.text), language, 0)}
            message = f"{message}. {text('read_in_part', language, **values)}"
        raise CannotBeKnown(message, code="nothing_weighed", hint=_NOTHING_WEIGHED_HINT[danish])
    job = job_of(request, said, outline, language)
    tell(runtime, "sizing", text("doing_estimate", language, count=outline.configurations))
    cells, checkpointing = estimated(job, outline, language)
    facts = Facts(outline, known_of(request, said, outline), language, tuple(cells), gpu=_gpu(job))
    facts = replace(facts, remedies=_remedies(job, facts))
    jobs = [(cell, _job_of(cell, job, outline, checkpointing)) for cell in facts.cells if cell.known]
    facts, jobs, dry = _dry_runs(facts, jobs, request, runtime)
    chosen, why = trials_of(request, jobs, facts)
    outcome = outcome or Outcome()
    if outcome.results:
        facts = with_measurements(facts, chosen, outcome.results)
    told = why or outcome.refused or text("trials_wait", language)
    status = "skipped" if outcome.refused else "waiting"
    parts = trial_parts(chosen, outcome.results, facts, status, told, outcome.run_id)
    claims, citations = claims_of(outline, language, request.torch)
    assumed = [*assumed_texts(request, need, job, facts, checkpointing), *_not_done(dry, chosen, why)]
    study = assemble(
        facts,
        _subject(job, language, by_size=facts.by_size_alone),
        conclude(facts),
        claims,
        citations,
        (*dry, *parts),
        assumed,
    )
    waiting = not outcome.results and not outcome.refused
    return Made(study, tuple(one.trial for one in chosen) if waiting else ())


def _gpu(job: Job) -> str:
    return job.machine.device.name if job.machine else ""


def _remedies(job: Job, facts: Facts) -> dict[int, Any]:
    places = [place for place in range(len(facts.outline.conditions)) if without_room(list(facts.cells), place)]
    return {place: remedy(job, facts, place) for place in places}


def _job_of(cell: Cell, job: Job, outline: Outline, checkpointing: dict[int, str]) -> Job:
    """Return the job of a cell: the same changes as it was estimated with."""
    taken = checkpointing.get(cell.condition, "none")
    lean = {"ac": "full"} if taken == "full" else {}
    changes = {**outline.conditions[cell.condition].changes, **outline.options[cell.option].changes}
    return job.changed({**lean, **outline.fixed, **changes})


def _dry_runs(
    facts: Facts, jobs: Sequence[tuple[Cell, Job]], request: Request, runtime: Runtime[Settings]
) -> tuple[Facts, list[tuple[Cell, Job]], list[Part]]:
    """Run dry what is worth it, and return the facts with what that found."""
    parts: list[Part] = []
    found: dict[int, Cell] = {}
    if facts.known.on_cpu or not request.dry_runs:
        return facts, list(jobs), parts
    for cell in wanted([cell for cell, _ in jobs])[:MOST]:
        job = next(one for known, one in jobs if known is cell)
        done, part = dry_run(cell, job, facts, len(parts) + 1, request, runtime)
        parts.append(part)
        found[id(cell)] = done
    cells = tuple(found.get(id(cell), cell) for cell in facts.cells)
    return replace(facts, cells=cells), [(found.get(id(cell), cell), job) for cell, job in jobs], parts


def _not_done(dry: Sequence[Part], chosen: Sequence[Planned], why: str) -> list[str]:
    """Return what was not run, and why."""
    said = [f"{part.asks} {part.result}" for part in dry if part.status in ("skipped", "failed")]
    return [*said, why] if why and not chosen else said


def _subject(job: Job, language: Language, *, by_size: bool) -> str:
    values: dict[str, Any] = {"model": job.shape.name, "params": _params(job, language), "ranks": job.ranks}
    if job.machine is None:
        return text("subject_cpu", language, **values)
    values["gpu"] = _gpu(job)
    if by_size:
        return text("subject_sizes", language, **values)
    if job.nodes == 1:
        return text("subject_one", language, **values)
    network = f", {job.machine.network}" if job.machine.network else ""
    return text("subject", language, nodes=job.nodes, network=network, **values)


def _params(job: Job, language: Language) -> str:
    large = job.shape.params >= _BILLION
    count = number(job.shape.params / (_BILLION if large else _MILLION), language, 2)
    return text("billions" if large else "millions", language, count=count)
