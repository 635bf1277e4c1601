"""What a request wants back: words and numbers vote, the heaviest intent wins."""

from collections.abc import Mapping

from contracts.request import Intent
from engines.intake.facts import Values

_VOTES: Mapping[str, Mapping[Intent, float]] = {
    "error": {"diagnose": 3.0},
    "failure": {"diagnose": 2.5},
    "misbehaves": {"diagnose": 2.0},
    "plea": {"diagnose": 1.5},
    "amiss": {"diagnose": 1.5},
    "own_plan": {"plan": 1.5},
    "since_change": {"diagnose": 1.5},
    "log": {"diagnose": 2.5},
    "failure_first": {"diagnose": 3.5},
    "told_failure": {"diagnose": 1.5},
    "spare": {"plan": 4.0, "diagnose": -2.0},
    "review": {"review": 4.0},
    "reviewable": {"review": 1.5},
    "code": {"review": 2.5, "ask": -1.0},
    "code_reference": {"review": 1.0},
    "run": {"run": 8.0},
    "train_order": {"run": 2.5},
    "plan": {"plan": 2.0},
    "concept": {"ask": 2.0},
    "question": {"ask": 0.5, "plan": 0.5, "run": -1.5},
    "question_start": {"ask": 1.0, "plan": 0.5, "run": -1.5},
    "params": {"plan": 1.5, "ask": -1.0},
    "gpus": {"plan": 0.75, "ask": -0.5},
    "gpu_kind": {"plan": 0.5, "ask": -0.5},
    "method": {"plan": 0.5},
    "length": {"plan": 0.5},
    "training": {"plan": 0.25},
    "hardware_absent": {"plan": 3.0},
    "hardware_open": {"plan": 3.0, "diagnose": -2.0},
    "needs_technique": {"plan": 2.5},
    "own_wish": {"plan": 1.5},
    "other_world_size": {"ask": 3.0, "plan": -1.5},
    "shown_code": {"review": 3.0},
    "supposed": {"ask": 1.5},
    "bare_question": {"ask": 1.5},
    "bare_mechanism": {"ask": 1.5},
    "statement": {"plan": 0.75},
    "narrative": {"diagnose": 1.5},
}
"""What each signal adds to each intent."""
_AGAIN = 0.25
"""Share of its vote that every further word of the same signal adds, up to three."""
_TIES: tuple[Intent, ...] = ("diagnose", "review", "plan", "run", "ask")
"""Order in which equal scores win."""


def _numbers(values: Values) -> Mapping[str, int]:
    return {
        "params": int(values.params_b is not None),
        "gpus": int(values.gpus is not None),
        "gpu_kind": int(values.gpu_type is not None or values.gpu_mem_gb is not None),
        "method": int(values.method is not None),
        "length": int(values.seq_len is not None or values.batch is not None),
    }


def asks_of_another_world_size(counts: Mapping[str, int]) -> bool:
    """Tell whether the text asks if a checkpoint can be read on another number of ranks.

    Args:
        counts: What the text shows.

    Returns:
        True for a question; a failure that is told is none.
    """
    asked = counts.get("question") or counts.get("question_start")
    failing = any(counts.get(name) for name in ("error", "failure", "misbehaves"))
    return bool(asked and counts.get("restore") and counts.get("world_size") and not failing)


def scores(counts: Mapping[str, int], values: Values) -> Mapping[Intent, float]:
    """Add up the votes.

    Args:
        counts: What the text shows.
        values: The numbers that it states.

    Returns:
        Intent to score.
    """
    numbers = _numbers(values)
    failing = any(counts.get(name) for name in ("error", "failure", "misbehaves"))
    if failing and not counts.get("plan"):
        # The numbers of a story of failure describe the job; they ask for no plan.
        numbers = {}
    asked = any(counts.get(name) for name in ("question", "question_start", "concept"))
    shown: dict[str, int] = {
        **counts,
        **numbers,
        "bare_question": int(asked and not any(_numbers(values).values())),
        "statement": int(not asked),
    }
    shown["own_plan"] = int(asked and bool(counts.get("own_project")))
    shown["bare_mechanism"] = int(bool(shown["bare_question"] and counts.get("mechanism")))
    shown["reviewable"] = int(bool(counts.get("review") and (counts.get("code") or counts.get("code_reference"))))
    wished = any(counts.get(name) for name in ("plan", "run", "train_order", "review"))
    shown["narrative"] = int(not asked and not wished and values.method is None)
    shown["told_failure"] = int(failing and not counts.get("question"))
    shown["hardware_open"] = int(bool(shown.get("hardware_unsettled") and shown.get("model_open")))
    # "Is FSDP needed?" of a training of one's own wants a decision; without one it is a matter of knowledge.
    own = any(shown.get(name) for name in ("training", "own_project"))
    shown["needs_technique"] = int(bool(asked and own and shown.get("needed")))
    general = shown.get("concept") or shown.get("mechanism")
    shown["own_wish"] = int(bool(asked and shown.get("own_training") and shown.get("technique") and not general))
    shown["other_world_size"] = int(asks_of_another_world_size(counts))
    shown["shown_code"] = int(bool(asked and not failing and shown.get("code") and shown.get("pointed_at")))
    if not shown.get("review"):
        # A file is mentioned in most requests; it is no wish for a review by itself.
        shown["code_reference"] = 0
    total = dict.fromkeys(_TIES, 0.0)
    for name, votes in _VOTES.items():
        if number := shown.get(name, 0):
            for intent, vote in votes.items():
                total[intent] += vote * (1 + _AGAIN * min(number - 1, 3))
    return total


def judge_intent(counts: Mapping[str, int], values: Values) -> Intent:
    """Choose the intent of a request that is in scope.

    Args:
        counts: What the text shows.
        values: The numbers that it states.

    Returns:
        The intent with the highest score.
    """
    total = scores(counts, values)
    return max(_TIES, key=lambda intent: (total[intent], -_TIES.index(intent)))


def intent_out_of_scope(counts: Mapping[str, int], about_models: bool) -> Intent:
    """Choose the intent of a request that is not this specialist's work.

    Args:
        counts: What the text shows.
        about_models: Whether it is about serving or hosting models.

    Returns:
        `diagnose` for a failure, `ask` for a question, `run` for an order about models,
        `none` for an order about anything else.
    """
    if counts.get("errand") and not about_models:
        return "none"
    failing = any(counts.get(name) for name in ("error", "failure", "misbehaves", "amiss", "log"))
    broken = any(counts.get(name) for name in ("error", "failure", "log", "amiss"))
    if about_models and counts.get("question") and not broken:
        # A served model that is slow, and whether something would help.
        return "ask"
    asking = counts.get("question_start") or (counts.get("question") and not failing)
    if failing and not counts.get("question_start"):
        return "diagnose"
    if asking:
        return "ask"
    if not about_models:
        return "none"
    return "run" if counts.get("do") or counts.get("run") else "ask"


def intent_without_training(counts: Mapping[str, int]) -> Intent:
    """Choose the intent of a request that says that nothing is trained.

    Args:
        counts: What the text shows.

    Returns:
        `plan` where a configuration is asked for all the same, else `none`.
    """
    # An order, not a question: "may we switch the FSDP agent off?" asks for no plan.
    about_us = counts.get("standby") or counts.get("specialist") or counts.get("question")
    return "plan" if counts.get("technique") and counts.get("plan") and not about_us else "none"
