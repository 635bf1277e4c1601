"""The verdict on a request: scope first, then what is wanted, then arithmetic."""

from collections.abc import Mapping

from contracts.need import ReasonCode
from contracts.request import Intent
from engines.intake.facts import Accelerator, Values
from engines.intake.judgement import Because, Judgement
from engines.intake.verdict_memory import judge_memory

_OUTSIDE: Mapping[ReasonCode, str] = {
    "inference_only": "inference",
    "provider_choice": "provider",
    "hosted_model_use": "hosted",
    "agent_or_workflow_automation": "automation",
}
"""Reason code to the key of its sentence and of its advice."""

_ACCELERATORS: Mapping[Accelerator, str] = {
    "tpu": "accelerator_tpu",
    "mps": "accelerator_mps",
    "other": "accelerator_other",
}
"""What is there in place of GPUs, to the key of its sentence."""


def judge_outside(codes: tuple[ReasonCode, ...], counts: Mapping[str, int]) -> Judgement:
    """Decline what is other people's work.

    Args:
        codes: Why, the weightiest first.
        counts: What the text shows.

    Returns:
        out_of_scope, and where to go.
    """
    said = [_OUTSIDE[code] for code in codes]
    # No word of agents, workflows or office work is there: who asks for a recipe is not told of them.
    said = ["unrelated" if key == "automation" and not counts.get("automation") else key for key in said]
    reasons = tuple(Because(code, (key,)) for code, key in zip(codes, said, strict=True))
    return Judgement("out_of_scope", reasons, said[0])


def judge_no_training(counts: Mapping[str, int], values: Values) -> Judgement:
    """Wait where nothing is trained.

    Args:
        counts: What the text shows.
        values: What is known.

    Returns:
        wait, and when to come back.
    """
    reasons = [Because("no_training_planned", ("no_training",))]
    if counts.get("inference"):
        reasons.append(Because("inference_only", ("inference",)))
    if counts.get("plan") and values.params_b is None and values.gpus is None:
        reasons.append(Because("insufficient_information", ("no_information",)))
    return Judgement("wait", tuple(reasons), "revisit")


def _distributed(counts: Mapping[str, int], values: Values) -> bool:
    several = (values.gpus or 0) > 1 or (values.nodes or 0) > 1
    return several or any(counts.get(name) for name in ("distributed_proof", "distributed", "sharded_training"))


def _judge_failure(counts: Mapping[str, int], values: Values) -> Judgement:
    """A failure of a sharded job is ours; on one GPU there is nothing to shard."""
    failing = Judgement("use_fsdp", (Because("multi_gpu_failure", ("failure",)),))
    if values.gpus != 1:
        memory = judge_memory(values)
        if _distributed(counts, values) or memory is None or memory.verdict != "use_fsdp":
            return failing
        return memory
    memory = judge_memory(values)
    if memory is not None and memory.verdict != "not_needed":
        return memory
    single = Because("single_gpu_only", ("failure_single", "single_gpu"))
    return Judgement("not_needed", (single, *(memory.because[:1] if memory else ())), "single_oom")


def _without_size(intent: Intent, counts: Mapping[str, int], values: Values) -> Judgement:
    """A plan or a run whose model size is not known."""
    if values.gpus == 1 and not counts.get("spare"):
        if values.method in ("lora", "qlora"):
            adapters = Because("lora_on_one_gpu_suffices", ("adapters_on_one",))
            return Judgement("not_needed", (adapters, Because("single_gpu_only", ("single_gpu",))), "lora_one_gpu")
        return Judgement("not_needed", (Because("single_gpu_only", ("single_gpu",)),), "lora_one_gpu")
    several = (values.gpus or 0) > 1
    if several and (counts.get("spare") or counts.get("too_big_for_one")):
        return Judgement("use_fsdp", (Because("model_states_exceed_one_gpu", ("oom_on_one",)),))
    if intent == "run" and several and counts.get("sharded_training"):
        return Judgement("use_fsdp", (Because("explicit_run_request", ("large_model",)),))
    return Judgement("wait", (Because("insufficient_information", ("no_information",)),), "tell_more")


def _hardware_absent(values: Values) -> Judgement:
    reasons = [Because("no_multi_gpu_hardware", ("hardware_absent",))]
    if values.params_b is None:
        reasons.append(Because("insufficient_information", ("no_information",)))
    return Judgement("wait", tuple(reasons), "hardware_first")


def judge(intent: Intent, counts: Mapping[str, int], values: Values) -> Judgement:
    """Decide on a request that is in scope.

    Args:
        intent: What is wanted.
        counts: What the text shows.
        values: What is known.

    Returns:
        The verdict with its reasons.
    """
    if intent == "diagnose":
        return _judge_failure(counts, values)
    if intent == "review":
        return Judgement("use_fsdp", (Because("fsdp_code_review", ("review",)),))
    if intent == "ask":
        return Judgement("use_fsdp", (Because("distributed_question", ("question",)),))
    if intent == "none":
        return judge_outside(("agent_or_workflow_automation",), counts)
    if values.accelerator and values.gpu_type is None and not values.gpus and not counts.get("device_cpu"):
        elsewhere = Because("no_multi_gpu_hardware", (_ACCELERATORS[values.accelerator],))
        return Judgement("wait", (elsewhere,), "other_accelerator")
    absent = counts.get("hardware_absent") and (values.params_b is None or values.gpus is None)
    if (absent or values.gpus == 0) and not counts.get("device_cpu"):
        return _hardware_absent(values)
    return judge_memory(values) or _without_size(intent, counts, values)
