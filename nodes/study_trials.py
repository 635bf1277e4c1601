"""The trials of a study: its options as recipes that the built-in job runs, and what was measured of them."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from contracts.recipe import Recipe
from contracts.request import Request
from contracts.study import Figure, Part
from contracts.trials import MOST_TRIALS, Trial, TrialResult
from engines.sizing.setup import TrainingSetup
from engines.study.cells import Cell
from engines.study.facts import Facts
from engines.study.racing import usable
from engines.study.texts import text
from nodes.study_job import Job

LEAST_SPREAD_PCT = 3.0
"""What two short trials of the same configuration may differ by, in percent, however even their steps are."""

_EXPRESSED = {
    "ac": "activation_checkpointing",
    "reshard_after_forward": "reshard_after_forward",
    "cpu_offload": "cpu_offload",
    "dp_replicate": "dp_replicate",
    "micro_batch": "micro_batch",
    "seq_len": "seq_len",
    "param_dtype": "param_dtype",
    "reduce_dtype": "reduce_dtype",
    "grad_accum": "grad_accum",
}
"""Fields of a training setup that the built-in recipe has, by its names."""

_FOLLOW = frozenset({"reshard_last", "dp_shard", "accumulate_unsharded", "device", "ranks", "ranks_per_node"})
"""Fields that follow from others."""


def trials_of(request: Request, jobs: Sequence[tuple[Cell, Job]], facts: Facts) -> tuple[dict[int, Trial], str]:
    """Return the trials that would decide, by the place of their cell; or none, and why not.

    Args:
        request: What was asked: without a model folder there is nothing to run.
        jobs: Each cell that was estimated, with its job.
        facts: For the names.
    """
    if request.model is None or request.model.path is None:
        return {}, text("trials_no_model", facts.language)
    if not (facts.outline.asks_trials or facts.known.on_cpu):
        return {}, text("trials_not_asked", facts.language)
    worth = {id(cell) for cell in usable(facts, 0)}
    chosen: dict[int, Trial] = {}
    for cell, job in jobs:
        if id(cell) not in worth or len(chosen) == MOST_TRIALS:
            continue
        recipe = _recipe(request.recipe, job.setup())
        if recipe is None or job.optimizer_on_cpu:
            continue  # the built-in recipe does not have it
        label = _label(facts, cell, {trial.label for trial in chosen.values()})
        predicted = {"predicted_tokens_per_s_per_gpu": cell.tokens_per_s, "predicted_reserved_gib": cell.reserved_gib}
        chosen[facts.cells.index(cell)] = Trial(label=label, recipe=recipe, **predicted)
    return (chosen, "") if len(chosen) > 1 else ({}, text("trials_not_expressed", facts.language))


def measured(cell: Cell, result: TrialResult, part: str) -> Cell:
    """Return a cell with what its trial, told in a part of this id, measured."""
    if result.status != "measured" or not result.tokens_per_s_per_gpu:
        return cell
    return replace(
        cell,
        measured_tokens_per_s=result.tokens_per_s_per_gpu,
        measured_spread_pct=max(LEAST_SPREAD_PCT, result.spread_pct or 0.0),
        measured_peak_gib=result.peak_gib,
        more_parts=(*cell.more_parts, part),
    )


def trial_parts(
    chosen: dict[int, Trial], results: Sequence[TrialResult], facts: Facts, status: str, why: str, run_id: str
) -> list[Part]:
    """Return a part for each trial.

    Args:
        chosen: The trials by the place of their cell.
        results: What came of them, in their order; empty before they ran.
        facts: What was found out.
        status: Status of all of them where there are no results: waiting or skipped.
        why: What is said of them then.
        run_id: The run that measured them; empty where there was none.
    """
    parts = []
    for number, (place, trial) in enumerate(chosen.items(), start=1):
        cell = facts.cells[place]
        result = results[number - 1] if number <= len(results) else None
        asks = text("asks_trial", facts.language, name=facts.name(cell), at=facts.at(cell.condition))
        known: dict[str, Any] = {"status": status, "result": why}
        if result is not None and result.status == "measured":
            known = {"status": "answered", "figures": tuple(_figures(result)), "source": run_id}
            known["result"] = _told(facts, result)
        elif result is not None:
            known = {"status": "failed", "result": result.reason or result.status, "source": run_id}
        parts.append(
            Part(
                id=f"t{number}",
                kind="trial",
                asks=asks,
                option=facts.name(cell),
                condition=facts.condition(cell.condition),
                settings={"label": trial.label} | cell.settings,
                **known,
            )
        )
    return parts


def _recipe(base: Recipe, setup: TrainingSetup) -> Recipe | None:
    """Return the recipe of a setup; None where the built-in recipe lacks one of its settings."""
    plain = TrainingSetup(ranks=setup.ranks, dp_shard=setup.ranks, seq_len=setup.seq_len)
    for name, value in setup.model_dump().items():
        if name not in _EXPRESSED and name not in _FOLLOW and value != getattr(plain, name):
            return None
    changes = {ours: getattr(setup, name) for name, ours in _EXPRESSED.items()}
    try:
        return Recipe.model_validate(base.model_dump(mode="json") | changes)
    except ValidationError:
        return None


def _label(facts: Facts, cell: Cell, taken: set[str]) -> str:
    """Return a short name that an approver can read, unlike the others."""
    words = re.sub(r"[^a-z0-9]+", "-", facts.name(cell).lower()).strip("-")[:34].strip("-") or "option"
    return words if words not in taken else f"{words}-{len(taken) + 1}"


def _told(facts: Facts, result: TrialResult) -> str:
    spread = facts.number(max(LEAST_SPREAD_PCT, result.spread_pct or 0.0), 0)
    speed = facts.speed(result.tokens_per_s_per_gpu or 0.0)
    return text("trial_result", facts.language, speed=speed, spread=spread, steps=result.steps)


def _figures(result: TrialResult) -> list[Figure]:
    spread = max(LEAST_SPREAD_PCT, result.spread_pct or 0.0)
    found = [
        Figure(
            name="tokens_per_s_per_gpu",
            value=round(result.tokens_per_s_per_gpu or 0.0, 1),
            unit="tokens/s",
            error_pct=spread,
        )
    ]
    if result.step_s is not None:
        found.append(Figure(name="step", value=round(result.step_s, 4), unit="s", error_pct=spread))
    if result.peak_gib is not None:
        found.append(Figure(name=result.peak_of or "peak", value=round(result.peak_gib, 4), unit="GiB"))
    return found
