"""What trials measured: which configuration won, and why."""

from contracts.aim import Aim, Goal
from contracts.trials import Trial, TrialResult, Trials
from engines.sizing.candidates import CHOSEN
from engines.sizing.search.option import limit_gib

ALIKE, MOST_ALIKE = 0.03, 0.15
"""Speeds closer than the first share are alike after so few steps, and up to the second where the steps
themselves lay so far apart: the smaller peak wins then."""

_FIRST: dict[Goal, str] = {"longest_sequence": "seq_len", "largest_micro_batch": "micro_batch"}
"""What a goal counts before speed, by the recipe's name."""


def judged(trials: tuple[Trial, ...], results: tuple[TrialResult, ...], aim: Aim, capacity_gib: float | None) -> Trials:
    """Return trials with their results, the winner, and why it won.

    Among those that ran, and on a GPU kept the margin, the aim's own measure counts first,
    then measured speed, then the smaller peak.

    Args:
        trials: What was tried.
        results: What came of it, in the same order.
        aim: What the plan is chosen by.
        capacity_gib: Memory of a device in GiB; None where it is not known.
    """
    results = tuple(beside(trial, result) for trial, result in zip(trials, results, strict=True))
    pairs = [(trial, result) for trial, result in zip(trials, results, strict=True) if result.status == "measured"]
    if not pairs:
        reasons = "; ".join(f"{result.label}: {result.reason or result.status}" for result in results)
        return Trials(trials=trials, results=results, because=f"none was measured: {reasons}")
    kept = [pair for pair in pairs if _keeps_margin(pair[1], aim, capacity_gib)]
    trial, result = _best(kept or pairs, aim)
    return Trials(
        trials=trials,
        results=results,
        winner=trial.label,
        because=_why(result, pairs, aim, margin_kept=bool(kept), first=_FIRST.get(aim.goal)),
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
    won: TrialResult, pairs: list[tuple[Trial, TrialResult]], aim: Aim, *, margin_kept: bool, first: str | None
) -> str:
    peak = "" if won.peak_gib is None else f", peak {won.peak_gib:.2f} GiB ({won.peak_of})"
    parts = [f"{won.label}: {speed_of(won):,.0f} tokens/s per rank measured over {won.steps} steps{peak}"]
    if first is not None:
        parts.append(f"the largest {first} counts before speed")
    others = [result for _, result in pairs if result.label != won.label]
    if others:
        next_best = max(others, key=speed_of)
        difference = speed_of(won) / max(speed_of(next_best), 1e-9) - 1
        within = _within(won, next_best)
        if abs(difference) <= within:
            parts.append(f"{next_best.label} is as fast within {within:.0%} ({speed_of(next_best):,.0f})")
        else:
            word = "more" if difference > 0 else "less"
            parts.append(f"{abs(difference):.0%} {word} than {next_best.label} ({speed_of(next_best):,.0f})")
    else:
        parts.append("no other was measured")
    if not margin_kept:
        parts.append(f"no configuration kept the margin of {aim.margin_pct:g} %")
    return "; ".join(parts)
