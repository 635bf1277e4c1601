"""Free text to a Reading: values, contradictions, signals and language."""

import re
from dataclasses import fields, replace

from contracts.request import Language
from engines.intake.asides import subject_of
from engines.intake.extract_accelerator import extract_accelerator
from engines.intake.extract_gpu_kind import extract_gpu_memory, extract_gpu_type, memory_conflict
from engines.intake.extract_gpus import extract_fleet
from engines.intake.extract_lengths import extract_batch, extract_seq_len
from engines.intake.extract_method import extract_method
from engines.intake.extract_model import extract_model, extract_params, holds_reference
from engines.intake.extract_optimizer import extract_optimizer
from engines.intake.facts import Conflict, Reading, Values
from engines.intake.instances import extract_instance
from engines.intake.language import detect_language
from engines.intake.normal import Normal, normalise
from engines.intake.signals import count_signals

_FIRST_CHARS = 60
"""Characters at the beginning in which a failure is the subject, not an aside."""
_WORD = re.compile(r"[^\W\d_]+|\?")
_STEM_CHARS = 6
"""Letters by which a word is known, whatever its ending."""
_FAILURES = ("error", "failure", "misbehaves")


def _counts(normal: Normal, spare: bool) -> dict[str, int]:
    counts = dict(count_signals(normal.lower))
    beginning = count_signals(normal.lower.strip()[:_FIRST_CHARS])
    counts["log"] = int(normal.has_log)
    counts["code"] = int(normal.has_code)
    counts["spare"] = int(spare)
    counts["failure_first"] = int(any(beginning.get(name) for name in _FAILURES))
    return counts


def _values(normal: Normal, text: str, language: Language) -> tuple[Values, tuple[Conflict, ...], bool]:
    """Read every value out of a text; also the contradictions, and whether GPUs stand idle."""
    fleet = extract_fleet(text, language)
    gpu_type, _ = extract_gpu_type(text)
    memory = extract_gpu_memory(text, gpu_type) or None
    if machine := extract_instance(text, language):
        gpu_type, memory = gpu_type or machine[0].gpu_type, memory or machine[0].gpu_mem_gb
    model, start, end = extract_model(normal.text, text)
    params_b, frozen_b, size_conflicts = extract_params(text, model, start, end)
    method = extract_method(text)
    if frozen_b is None and method not in ("lora", "qlora") and holds_reference(text):
        # Adapters that are switched off leave the reference: they need no second model.
        frozen_b = params_b
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
        method=method,
        accelerator=extract_accelerator(text) if gpu_type is None and not fleet.gpus else None,
        optimizer=extract_optimizer(text),
    )
    conflicts = (*fleet.conflicts, *size_conflicts, *memory_conflict(gpu_type, memory), *length_conflicts)
    return values, conflicts, fleet.spare


def _completed(values: Values, whole: Values) -> Values:
    """Take from the whole text what the subject leaves open: a history may be all there is."""
    missing = {
        field.name: getattr(whole, field.name)
        for field in fields(values)
        if getattr(values, field.name) is None and field.name not in ("method", "params_b")
    }
    if values.params_b is None and values.model is None:
        missing |= {"params_b": whole.params_b}
    return replace(values, **missing)


def read_text(raw: str) -> Reading:
    """Read a request in free text.

    Args:
        raw: English or Danish, possibly with pasted logs or configuration.

    Returns:
        What it says.
    """
    normal = normalise(raw)
    language = detect_language(normal.prose)
    subject = subject_of(normal.lower)
    values, conflicts, spare = _values(normal, subject, language)
    if subject != normal.lower:
        values = _completed(values, _values(normal, normal.lower, language)[0])
    words = frozenset(word[:_STEM_CHARS] for word in _WORD.findall(normal.prose))
    return Reading(values, conflicts, _counts(normal, spare), words, language, empty=False)
