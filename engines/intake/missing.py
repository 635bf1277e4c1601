"""What was not said, which question asks for it, and what is assumed meanwhile."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from contracts.need import Verdict
from contracts.request import Intent
from engines.intake.facts import Conflict, Values
from engines.intake.states import DEFAULT_BATCH, default_seq_len
from engines.intake.tables import DEFAULT_GPU_MEM_GB, GPUS, GPUS_PER_NODE, gpu_memory_gb


@dataclass(frozen=True)
class Gap:
    """One missing input."""

    code: str
    """Stable code."""
    question: str
    """Key of `texts_en.QUESTIONS`."""
    assumed: str = ""
    """Key of `texts_en.ASSUMED`; empty: nothing can be assumed."""
    numbers: Mapping[str, float | int | str] = field(default_factory=dict)
    """What the placeholders stand for."""
    conflict: str = ""
    """Field of `Values` whose statements contradict."""
    kept: str | None = None
    """The value that is used until a contradiction is settled."""


def _gap(code: str, assumed: bool = True, **numbers: float | int | str) -> Gap:
    return Gap(code, code, code if assumed else "", numbers)


def _nodes_gap(machines: int) -> Gap:
    """Ask for the machines; where the GPUs are more than one usually has, several are assumed."""
    numbers: dict[str, float | int | str] = {"machines": machines, "each": GPUS_PER_NODE}
    return Gap("nodes", "nodes", "nodes" if machines == 1 else "nodes_several", numbers)


def _memory_gaps(gpu_type: str | None) -> list[Gap]:
    """Ask which GPU it is; of a known one only the memory, and not even that where there is one size."""
    sizes = GPUS.get(gpu_type or "", ("", ()))[1]
    if len(sizes) == 1:
        return []
    numbers: dict[str, float | int | str] = {
        "mem": gpu_memory_gb(gpu_type) or DEFAULT_GPU_MEM_GB,
        "gpu": gpu_type or "",
    }
    return [Gap("gpu_memory", "gpu_memory_of" if sizes else "gpu_memory", "gpu_memory", numbers)]


def conflict_gaps(conflicts: Iterable[Conflict]) -> list[Gap]:
    """Ask about contradictions.

    Args:
        conflicts: The contradictions.

    Returns:
        One question each, with the code `conflict_` and the field's name.
    """
    return [
        Gap(
            f"conflict_{conflict.key}",
            "conflict",
            numbers={"first": conflict.first, "second": conflict.second},
            conflict=conflict.key,
            kept=conflict.kept,
        )
        for conflict in conflicts
    ]


def training_gaps(values: Values, signals: frozenset[str], codes: frozenset[str]) -> list[Gap]:
    """Name the numbers that a plan needs and that were not given.

    Args:
        values: What is known.
        signals: What the text shows.
        codes: Codes of the verdict's reasons.

    Returns:
        The gaps, the weightiest first.
    """
    gaps = []
    machines = values.nodes or -(-(values.gpus or 1) // GPUS_PER_NODE)
    if values.params_b is None:
        gaps.append(_gap("model_size", assumed=False))
    if values.method is None:
        gaps.append(_gap("method"))
    if values.gpus is None and "device_cpu" not in signals:
        gaps.append(_gap("gpus", assumed=False))
    if values.gpu_mem_gb is None and "device_cpu" not in signals and not values.accelerator:
        gaps += _memory_gaps(values.gpu_type)
    if values.seq_len is None and "image_model" not in signals:
        gaps.append(_gap("seq_len", seq_len=default_seq_len(values.model)))
    if values.batch is None:
        gaps.append(_gap("batch_per_gpu", batch=DEFAULT_BATCH))
    if values.nodes is None and (values.gpus or 0) > 1:
        gaps.append(_nodes_gap(machines))
    if machines > 1 and "interconnect" not in signals:
        gaps.append(_gap("interconnect"))
    if "needs_more_than_fsdp" in codes and "checkpointing" not in signals:
        gaps.append(_gap("activation_checkpointing"))
    return gaps


def _material_gaps(intent: Intent, signals: frozenset[str]) -> list[Gap]:
    """What a diagnosis or a review works on."""
    gaps = []
    if "material" not in signals:
        gaps.append(_gap("logs" if intent == "diagnose" else "code", assumed=False))
    if "torch_version" not in signals:
        gaps.append(_gap("torch_version"))
    return gaps


def gaps(intent: Intent, verdict: Verdict, values: Values, signals: frozenset[str], codes: frozenset[str]) -> list[Gap]:
    """Name everything that the chosen way needs and that was not given.

    Args:
        intent: What is wanted.
        verdict: What was decided.
        values: What is known.
        signals: What the text shows.
        codes: Codes of the verdict's reasons.

    Returns:
        The gaps, the weightiest first.
    """
    if verdict == "out_of_scope" or "distributed_question" in codes:
        return []
    if "no_training_planned" in codes:
        return [_gap("training_date", assumed=False)]
    found = []
    if verdict == "wait" and "single_gpu_only" in codes:
        return [_gap("more_gpus", assumed=False), _gap("lora_allowed", assumed=False)]
    if "no_multi_gpu_hardware" in codes and ("hardware_absent" in signals or values.accelerator):
        found.append(_gap("hardware_date", assumed=False))
    if intent in ("diagnose", "review") and verdict == "use_fsdp":
        return found + _material_gaps(intent, signals)
    return found + training_gaps(values, signals, codes)
