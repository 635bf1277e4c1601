"""Free text to a Reading: values, contradictions, signals and language."""

from engines.intake.extract_gpu_kind import extract_gpu_memory, extract_gpu_type, memory_conflict
from engines.intake.extract_gpus import extract_fleet
from engines.intake.extract_lengths import extract_batch, extract_seq_len
from engines.intake.extract_method import extract_method
from engines.intake.extract_model import extract_model, extract_params
from engines.intake.extract_optimizer import extract_optimizer
from engines.intake.facts import Reading, Values
from engines.intake.language import detect_language
from engines.intake.normal import Normal, normalise
from engines.intake.signals import count_signals

_FIRST_CHARS = 60
"""Characters at the beginning in which a failure is the subject, not an aside."""
_FAILURES = ("error", "failure", "misbehaves")


def _counts(normal: Normal, spare: bool) -> dict[str, int]:
    counts = dict(count_signals(normal.lower))
    beginning = count_signals(normal.lower.strip()[:_FIRST_CHARS])
    counts["log"] = int(normal.has_log)
    counts["code"] = int(normal.has_code)
    counts["spare"] = int(spare)
    counts["failure_first"] = int(any(beginning.get(name) for name in _FAILURES))
    return counts


def read_text(raw: str) -> Reading:
    """Read a request in free text.

    Args:
        raw: English or Danish, possibly with pasted logs or configuration.

    Returns:
        What it says.
    """
    normal = normalise(raw)
    language = detect_language(normal.prose)
    text = normal.lower
    fleet = extract_fleet(text, language)
    gpu_type, _ = extract_gpu_type(text)
    memory = extract_gpu_memory(text, gpu_type) or None
    model, start, end = extract_model(normal.text, text)
    params_b, frozen_b, size_conflicts = extract_params(text, model, start, end)
    seq_len, length_conflicts = extract_seq_len(text)
    batch, global_batch = extract_batch(text)
    values = Values(
        model=model,
        params_b=params_b,
        frozen_params_b=frozen_b,
        gpus=fleet.gpus,
        nodes=fleet.nodes,
        gpu_type=gpu_type,
        gpu_mem_gb=memory,
        seq_len=seq_len,
        batch=batch,
        global_batch=global_batch,
        method=extract_method(text),
        optimizer=extract_optimizer(text),
    )
    conflicts = (*fleet.conflicts, *size_conflicts, *memory_conflict(gpu_type, memory), *length_conflicts)
    return Reading(values, conflicts, _counts(normal, fleet.spare), language, empty=False)
