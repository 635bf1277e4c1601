"""What the known training frameworks do where a run's record does not say.

Defaults by framework and, where they changed, by date (ISO, compared as text). Each was
read in that framework's code; each that is used is named in the estimate's assumptions.
"""

from typing import Any

Json = dict[str, Any]

ROOT_RESHARD_HONOURED = "2025-06-03"
"""Before pytorch PR 154704 the root group stayed gathered after forward, whatever was asked."""

RS_INPUT_DEFAULT_STREAM = "2024-06-28"
"""Before pytorch PR 129721 the reduce-scatter input came from the reduce-scatter stream."""


def defaults_of(framework: str, date: str, compiled: bool) -> tuple[Json, list[str]]:
    """Return the settings that a framework had at a date, and the lines that say so."""
    words = framework.lower()
    settings: Json = {
        "fsdp": 1 if "fsdp1" in words else 2,
        "reduce_input_default_stream": date >= RS_INPUT_DEFAULT_STREAM,
    }
    if "torchtitan" in words or "torchtrain" in words:
        settings |= _torchtitan(date, compiled)
    said = [f"{name} {value} (default of {framework} at {date}; not stated)" for name, value in settings.items()]
    return settings, said[2:]


def _torchtitan(date: str, compiled: bool) -> Json:
    return {
        "model_code": "torchtitan",
        "root_reshard": date >= ROOT_RESHARD_HONOURED,
        "loss_impl": "compiled" if compiled and date >= "2025-04" else "fp32_copy",
        "logits_kept": date < "2024-06-12",
        "expandable_segments": date >= "2024-06-12",
        "norm_kernel": "decomposed",
        "wrap": "emb_blocks_head" if date >= "2025-05" else "blocks_root",
    }
