"""Whether a request is this specialist's work at all, and if not, whose."""

from collections.abc import Mapping

from contracts.need import ReasonCode
from engines.intake.facts import Values

Counts = Mapping[str, int]


def job_is_described(values: Values) -> bool:
    """Tell whether numbers of a training job are there.

    Args:
        values: The numbers that a request states.

    Returns:
        True for a size together with GPUs or a method.
    """
    return values.params_b is not None and (values.gpus is not None or values.method is not None)


def _inference(counts: Counts, values: Values) -> bool:
    # "Summarise these mails" is office work; a model of a size or a GPU that does it is inference.
    machine = values.params_b is not None or values.gpu_type is not None or values.gpus is not None
    used = counts.get("model_use", 0) if machine else 0
    if not counts.get("inference") and not counts.get("serving_tool") and not used:
        return False
    if counts.get("inference_only") and not counts.get("mechanism") and counts.get("training", 0) <= 1:
        return True
    acts = counts.get("training", 0)
    if values.method is not None and values.params_b is not None and not counts.get("serving_tool"):
        acts += 1  # "LoRA on a 72B" trains, though no word says so.
    if _serves_and_asks_of_sharding(counts, used):
        return True
    if counts.get("sharded_training"):
        return False
    # "Serve the LoRA with vLLM" has words of training, but nothing is trained.
    return not acts or (acts <= 1 and counts.get("serving_tool", 0) > 1 and not job_is_described(values))


def _serves_and_asks_of_sharding(counts: Counts, used: int) -> bool:
    """Whether a model is served and FSDP is only named: "we serve it with vLLM, should we use FSDP?"."""
    trained = ("training", "training_words", "mechanism", "code", "log", "error")
    return counts.get("inference", 0) + used > 1 and not any(counts.get(name) for name in trained)


def _hosted(counts: Counts, values: Values) -> bool:
    if not counts.get("hosted") or counts.get("sharded_training") or counts.get("distributed_proof"):
        return False
    return not (counts.get("training") and (job_is_described(values) or values.gpus is not None))


def _provider(counts: Counts, values: Values) -> bool:
    if counts.get("training") or counts.get("sharded_training") or counts.get("distributed_proof"):
        return False
    if values.method is not None and values.params_b is not None and values.gpus is not None:
        return False
    return counts.get("provider", 0) >= 2 or bool(counts.get("provider") and counts.get("question"))


def _automation(counts: Counts, values: Values) -> bool:
    # A workflow tool, and one word of a cluster as a guess: "Airflow skips a task. NCCL related?"
    proof = counts.get("distributed_proof", 0)
    guessed = proof == 1 and counts.get("automation_tool") and not any(counts.get(sign) for sign in ("error", "log"))
    if not counts.get("automation") or counts.get("sharded_training") or (proof and not guessed):
        return False
    acts = counts.get("training", 0)
    if job_is_described(values) or (acts and (values.gpus is not None or values.params_b is not None)):
        return False
    if counts.get("automation_tool"):
        return counts["automation"] > acts
    return counts["automation"] > acts + counts.get("distributed", 0) + counts.get("training_words", 0)


def speaks_of_training(counts: Counts, values: Values) -> bool:
    """Tell whether anything of training, sharding or distributed computing is in a request.

    Args:
        counts: What the text shows.
        values: The numbers that it states.

    Returns:
        False where it is about something else, whatever that is.
    """
    words = ("training", "training_words", "sharded_training", "distributed", "too_big_for_one")
    failing = any(counts.get(word) for word in ("error", "failure", "misbehaves"))
    sized = values.params_b is not None or failing
    if counts.get("code") and values.params_b is not None:
        return True
    if values.params_b is not None and values.gpu_type is not None and (values.seq_len or values.batch):
        return True  # "8 or 16 H100 for Llama-3-8B at 8k?" states no one number of GPUs
    return (
        any(counts.get(word) for word in words)
        or (sized and (values.gpus or values.nodes) is not None)
        or job_is_described(values)
    )


def out_of_scope(counts: Counts, values: Values) -> tuple[ReasonCode, ...]:
    """Tell whether a request is other people's work.

    Args:
        counts: What the text shows.
        values: The numbers that it states.

    Returns:
        The reasons, the weightiest first; empty where the request is in scope.
    """
    hosted, provider = _hosted(counts, values), _provider(counts, values)
    if hosted or provider:
        codes: list[ReasonCode] = []
        if provider or (hosted and counts.get("provider")):
            codes.append("provider_choice")
        if hosted:
            codes.append("hosted_model_use")
        if counts.get("automation_tool"):
            codes.insert(0, "agent_or_workflow_automation")
        return tuple(codes)
    # Of a cluster's tool and a workflow's, those that serve a model of a stated size are the former.
    serves = counts.get("serving_tool") or values.params_b is not None
    if _inference(counts, values) and (serves or not counts.get("automation_tool")):
        return ("inference_only",)
    if _automation(counts, values) or not speaks_of_training(counts, values):
        return ("agent_or_workflow_automation",)
    return ()


def no_training(counts: Counts, values: Values) -> bool:
    """Tell whether the request says that nothing is trained, now or by a date.

    Args:
        counts: What the text shows.
        values: The numbers that it states.

    Returns:
        True where training is ruled out, or only the specialist's standby is asked about.
    """
    if values.params_b is not None and (values.gpus or 0) > 1:
        return False
    if counts.get("error") or counts.get("hardware_absent"):
        return False
    about_us = counts.get("standby") or counts.get("specialist")
    # Who asks whether to keep the specialist, and says of training only that it is not there.
    return bool(counts.get("no_training") or (about_us and counts.get("training_absent")))
