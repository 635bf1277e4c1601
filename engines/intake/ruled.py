"""The way that the rules alone would send a request; `routes` weighs it with what was learned."""

from collections.abc import Mapping

from contracts.need import ReasonCode
from engines.intake.facts import Values
from engines.intake.intent import judge_intent
from engines.intake.routes import ROUTES, Route
from engines.intake.scope import Counts, job_is_described, no_training, out_of_scope, speaks_of_training

OUTSIDE: Mapping[Route, tuple[ReasonCode, ...]] = {
    "provider": ("provider_choice", "hosted_model_use"),
    "inference": ("inference_only",),
    "automation": ("agent_or_workflow_automation",),
}
"""Ways out of the scope, each with the codes of its reasons."""


def _hardware_open(counts: Counts, values: Values) -> bool:
    """Whether the GPUs are not there, or neither they nor the model are settled."""
    if counts.get("hardware_absent"):
        return values.params_b is None or values.gpus is None
    return bool(counts.get("hardware_unsettled") and counts.get("model_open") and values.params_b is None)


def ruled_route(counts: Counts, values: Values) -> Route:
    """Choose by the rules: scope first, then the intent with most votes.

    Args:
        counts: What the text shows.
        values: The numbers that are known.

    Returns:
        The way.
    """
    if no_training(counts, values):
        return "no_training"
    if codes := out_of_scope(counts, values):
        return next(route for route, own in OUTSIDE.items() if codes[0] in own)
    intent = judge_intent(counts, values)
    if intent in ("plan", "run") and _hardware_open(counts, values):
        return "no_hardware"
    return "plan" if intent == "none" else intent


def barred_routes(counts: Counts, values: Values, ruled: Route) -> frozenset[Route]:
    """Name the ways that what was learned may not choose, whatever the words are like.

    Args:
        counts: What the text shows.
        values: The numbers that are known.
        ruled: What the rules say.

    Returns:
        Out of the scope, where a training job with its numbers is told; into it, where there is no word
        of the trade at all.
    """
    if ruled == "automation" and not (speaks_of_training(counts, values) or counts.get("trade")):
        return frozenset(ROUTES) - frozenset(OUTSIDE)
    if ruled not in OUTSIDE and counts.get("training") and job_is_described(values):
        return frozenset(OUTSIDE)
    return frozenset()
