"""What is known besides the logs: findings of a review of the code, and the numbers of the memory model.

Both are handed in: this engine calls no other.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from contracts.finding import Finding
from engines.diagnosis.cause import HANG, NCCL_TIMEOUT, OOM, CauseRule
from engines.diagnosis.clue import Clue
from engines.diagnosis.registry import cause_rules

_EXPLAINS, _STANDS_BESIDE = {"error": 5.0, "warning": 3.5, "advice": 1.5}, {"error": 2.0, "warning": 1.0, "advice": 0.5}
_PREDICTED, _NOT_PREDICTED, _LOSS_PEAK = 7.0, -3.0, 3.0
_ALTERNATIVES = 2


def clues_of_findings(findings: Iterable[Finding]) -> list[Clue]:
    """Return what the findings of a review say for causes: those that rest on the same card.

    A finding explains a failure where the failure shows as the cause does (it hangs, it runs out of memory);
    otherwise it is a fault that stands beside it.
    """
    by_card: dict[str, list[CauseRule]] = {}
    for rule in cause_rules():
        by_card.setdefault(rule.card, []).append(rule)
    clues = []
    for finding in findings:
        for cause in {rule.cause: rule for card in finding.cards for rule in by_card.get(card, ())}.values():
            text = f"{finding.rule} {finding.slug}: {finding.message}"
            shows = _shows(cause)
            weights = _EXPLAINS if shows else _STANDS_BESIDE
            clues.append(
                Clue(cause.cause, weights[finding.severity], finding.file, finding.line, text, shows, finding.fix)
            )
    return clues


def clues_of_memory(plan: Mapping[str, Any], file: str) -> list[Clue]:
    """Return what a plan's prediction says of an out of memory error.

    Args:
        plan: A plan as JSON data, its prediction under `memory`.
        file: File that it was read from.
    """
    memory = plan.get("memory")
    if not isinstance(memory, Mapping):
        return []
    reserved, margin = memory.get("reserved_gib"), memory.get("margin_gib")
    if not isinstance(reserved, int | float) or not isinstance(margin, int | float):
        return []
    clues = []
    if margin < 0:
        text = (
            f"the memory model predicts {reserved:.1f} GiB per rank, {-margin:.1f} GiB more than there are{_fits(plan)}"
        )
        clues.append(Clue("memory-exceeds-gpu", _PREDICTED, file, 1, text, OOM))
    else:
        text = f"the memory model predicts {reserved:.1f} GiB per rank with {margin:.1f} GiB to spare"
        clues.append(Clue("memory-exceeds-gpu", _NOT_PREDICTED, file, 1, text, OOM))
    if memory.get("peak_phase") == "loss":
        text = "the memory model puts the peak into the loss"
        clues.append(Clue("logits-fp32-spike", _LOSS_PEAK, file, 1, text, OOM))
    return clues


def _fits(plan: Mapping[str, Any]) -> str:
    """Return what would fit, as far as the plan says."""
    told = []
    for other in plan.get("ranked") or ():
        if isinstance(other, Mapping) and other.get("fits") and isinstance(other.get("settings"), Mapping):
            settings = ", ".join(f"{name}={value}" for name, value in other["settings"].items())
            told.append(f"{settings} ({other.get('reserved_gib', '?')} GiB)")
    return f"; would fit: {'; or '.join(told[:_ALTERNATIVES])}" if told else ""


def _shows(rule: CauseRule) -> str:
    """Return the pattern by which a cause shows, empty where its kind is not told by its signs."""
    parts = [part for sign in rule.signs if sign.weight > 0 for part in sign.parts]
    if any(HANG in part or NCCL_TIMEOUT in part for part in parts):
        return HANG
    return OOM if any(OOM in part for part in parts) else ""
