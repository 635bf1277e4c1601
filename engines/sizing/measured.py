"""What trials measured: which configuration won, and why."""

from collections.abc import Iterator

from contracts.aim import Aim, Goal
from contracts.request import Language
from contracts.trials import Trial, TrialResult, Trials
from engines.sizing.candidates import CHOSEN
from engines.sizing.search.option import limit_gib
from engines.sizing.texts import say

ALIKE, MOST_ALIKE = 0.03, 0.15
"""Speeds closer than the first share are alike after so few steps, and up to the second where the steps
themselves lay so far apart: the smaller peak wins then."""

_FIRST: dict[Goal, str] = {"longest_sequence": "seq_len", "largest_micro_batch": "micro_batch"}
"""What a goal counts before speed, by the recipe's name."""


def judged(
    trials: tuple[Trial, ...],
    results: tuple[TrialResult, ...],
    aim: Aim,
    capacity_gib: float | None,
    language: Language = "en",
) -> Trials:
    """Return trials with their results, the winner, and why it won.

    Among those that ran, and on a GPU kept the margin, the aim's own measure counts first,
    then measured speed, then the smaller peak.

    Args:
        trials: What was tried.
        results: What came of it, in the same order.
        aim: What the plan is chosen by.
        capacity_gib: Memory of a device in GiB; None where it is not known.
        language: Language of the reason.
    """
    results = tuple(beside(trial, result) for trial, result in zip(trials, results, strict=True))
    pairs = [(trial, result) for trial, result in zip(trials, results, strict=True) if result.status == "measured"]
    if not pairs:
        reasons = "; ".join(f"{result.label}: {result.reason or result.status}" for result in results)
        return Trials(trials=trials, results=results, because=say("none_measured", language, reasons=reasons))
    kept = [pair for pair in pairs if _keeps_margin(pair[1], aim, capacity_gib)]
    trial, result = _best(kept or pairs, aim)
    return Trials(
        trials=trials,
        results=results,
        winner=trial.label,
        because="; ".join(_why(result, pairs, aim, language, margin_kept=bool(kept))),
    )


def beside(trial: Trial, result: TrialResult) -> TrialResult:
    """Return a result with its ratios of measured to predicted."""
    speed, peak = trial.predicted_tokens_per_s_per_gpu, trial.predicted_reserved_gib
    ratios: dict[str, float] = {}
    if speed and result.tokens_per_s_per_gpu:
        ratios["speed_ratio"] = result.tokens_per_s_per_gpu / speed
    if peak and result.peak_gib and result.peak_of == "cuda_reserved":
        ratios["memory_ratio"] = result.peak_gib / peak
    return result.model_copy(update=ratios)


def _keeps_margin(result: TrialResult, aim: Aim, capacity_gib: float | None) -> bool:
    if capacity_gib is None or result.peak_of != "cuda_reserved" or result.peak_gib is None:
        return True
    return result.peak_gib <= limit_gib(capacity_gib, aim.margin_pct)


def _best(pairs: list[tuple[Trial, TrialResult]], aim: Aim) -> tuple[Trial, TrialResult]:
    name = _FIRST.get(aim.goal)
    if name is not None:
        most = max(getattr(trial.recipe, name) for trial, _ in pairs)
        pairs = [pair for pair in pairs if getattr(pair[0].recipe, name) == most]
    fastest = max((result for _, result in pairs), key=speed_of)
    alike = [pair for pair in pairs if speed_of(pair[1]) * (1 + _within(pair[1], fastest)) >= speed_of(fastest)]
    for pair in alike:
        if pair[0].label == CHOSEN and pair[1].peak_of == "rss":
            return pair  # resident sets differ by chance: no reason to leave the plan
    return min(alike, key=lambda pair: (pair[1].peak_gib or 0.0, -speed_of(pair[1])))


def _within(one: TrialResult, other: TrialResult) -> float:
    """Return the share by which two speeds may differ and still be alike: the steps' own spread, within bounds."""
    spread = ((one.spread_pct or 0.0) + (other.spread_pct or 0.0)) / 100
    return min(MOST_ALIKE, max(ALIKE, spread))


def speed_of(result: TrialResult) -> float:
    """Return the measured speed in tokens per second and rank; 0 where there is none."""
    return result.tokens_per_s_per_gpu or 0.0


def _why(
    won: TrialResult, pairs: list[tuple[Trial, TrialResult]], aim: Aim, language: Language, *, margin_kept: bool
) -> Iterator[str]:
    said = say("won", language, label=won.label, speed=speed_of(won), steps=won.steps)
    if won.peak_gib is not None:
        said += say("won_peak", language, peak=won.peak_gib, kind=won.peak_of)
    yield said
    if first := _FIRST.get(aim.goal):
        yield say("counts_first", language, name=first)
    others = [result for _, result in pairs if result.label != won.label]
    if others:
        next_best = max(others, key=speed_of)
        difference = speed_of(won) / max(speed_of(next_best), 1e-9) - 1
        within = _within(won, next_best)
        key = "as_fast" if abs(difference) <= within else "more_than" if difference > 0 else "less_than"
        values = {"label": next_best.label, "speed": speed_of(next_best), "within": within, "share": abs(difference)}
        yield say(key, language, **values)
    else:
        yield say("no_other", language)
    if not margin_kept:
        yield say("no_margin", language, margin=aim.margin_pct)
