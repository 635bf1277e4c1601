"""The trials of a study: its options as recipes that the built-in job runs, and what was measured of them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import mean
from typing import Any

from pydantic import ValidationError

from contracts.recipe import Recipe
from contracts.request import Request
from contracts.study import Figure, Part
from contracts.trials import MOST_TRIALS, Trial, TrialResult
from engines.sizing.search.question import RECIPE_NAMES
from engines.sizing.setup import TrainingSetup
from engines.study.cells import Cell
from engines.study.facts import Facts
from engines.study.racing import usable
from engines.study.texts import text
from nodes.study_job import Job

LEAST_SPREAD_PCT = 3.0
"""What two short trials of the same configuration may differ by, in percent, however alike they came out."""

_EXPRESSED = {
    **RECIPE_NAMES,
    "param_dtype": "param_dtype",
    "reduce_dtype": "reduce_dtype",
    "grad_accum": "grad_accum",
}
"""Fields of a training setup that the built-in recipe has, by its names."""

_AGAIN = "-again"
_LABEL_CHARS = 30
_LEAST = 2
"""Fewer options than this decide nothing."""

_FOLLOW = frozenset({"reshard_last", "dp_shard", "accumulate_unsharded", "device", "ranks", "ranks_per_node"})
"""Fields that follow from others."""


@dataclass(frozen=True)
class Planned:
    """A trial, and the cell that it measures."""

    place: int
    """Place of the cell among the facts' cells."""
    trial: Trial
    """What is run."""


def trials_of(request: Request, jobs: Sequence[tuple[Cell, Job]], facts: Facts) -> tuple[list[Planned], str]:
    """Return the trials that would decide; or none, and why not.

    Where there is room each runs twice, in turns: what differs between the two is no
    difference between options.

    Args:
        request: What was asked: without a model folder there is nothing to run.
        jobs: Each cell that was estimated, with its job.
        facts: For the names.
    """
    if request.model is None or request.model.path is None:
        return [], text("trials_no_model", facts.language)
    if not (facts.outline.asks_trials or facts.known.on_cpu):
        return [], text("trials_not_asked", facts.language)
    worth = {id(cell) for cell in usable(facts, 0)}
    chosen: list[Planned] = []
    for cell, job in jobs:
        if id(cell) not in worth or len(chosen) == MOST_TRIALS:
            continue
        recipe = _recipe(request.recipe, job.setup())
        if recipe is None or job.optimizer_on_cpu:
            continue  # the built-in recipe does not have it
        label = _label(facts, cell, {one.trial.label for one in chosen})
        predicted = {"predicted_tokens_per_s_per_gpu": cell.tokens_per_s, "predicted_reserved_gib": cell.reserved_gib}
        chosen.append(Planned(facts.cells.index(cell), Trial(label=label, recipe=recipe, **predicted)))
    if len(chosen) < _LEAST:
        return [], text("trials_not_expressed", facts.language)
    if 2 * len(chosen) <= MOST_TRIALS:
        again = [one.trial.model_copy(update={"label": f"{one.trial.label}{_AGAIN}"}) for one in chosen]
        chosen += [Planned(one.place, trial) for one, trial in zip(chosen, again, strict=True)]
    return chosen, ""


def with_measurements(facts: Facts, chosen: Sequence[Planned], results: Sequence[TrialResult]) -> Facts:
    """Return the facts with what the trials measured; a cell whose trials failed stays as it was."""
    by_label = {result.label: result for result in results if result.status == "measured"}
    cells = list(facts.cells)
    for place in dict.fromkeys(one.place for one in chosen):
        ran = [
            (f"t{number}", by_label[one.trial.label])
            for number, one in enumerate(chosen, start=1)
            if one.place == place and one.trial.label in by_label
        ]
        speeds = [result.tokens_per_s_per_gpu for _, result in ran if result.tokens_per_s_per_gpu]
        if not speeds:
            continue
        between = 100 * (max(speeds) - min(speeds)) / 2 / mean(speeds)
        cells[place] = replace(
            cells[place],
            measured_tokens_per_s=mean(speeds),
            measured_spread_pct=max(LEAST_SPREAD_PCT, between, *(result.spread_pct or 0.0 for _, result in ran)),
            measured_peak_gib=max((result.peak_gib for _, result in ran if result.peak_gib), default=None),
            more_parts=(*cells[place].more_parts, *(part for part, _ in ran)),
        )
    return replace(facts, cells=tuple(cells))


def trial_parts(
    chosen: Sequence[Planned], results: Sequence[TrialResult], facts: Facts, status: str, why: str, run_id: str
) -> list[Part]:
    """Return a part for each trial.

    Args:
        chosen: The trials.
        results: What came of them, in their order; empty before they ran.
        facts: What was found out.
        status: Status of all of them where there are no results: waiting or skipped.
        why: What is said of them then.
        run_id: The run that measured them; empty where there was none.
    """
    parts = []
    for number, one in enumerate(chosen, start=1):
        cell = facts.cells[one.place]
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
                settings={"label": one.trial.label} | cell.settings,
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
    words = re.sub(r"[^a-z0-9]+", "-", facts.name(cell).lower()).strip("-")[:_LABEL_CHARS].strip("-") or "option"
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
