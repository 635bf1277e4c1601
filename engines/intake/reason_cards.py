"""The knowledge cards that the need gate's reasons rest on; what is not ours to know has none."""

from collections.abc import Mapping

from contracts.need import ReasonCode

REASON_CARDS: Mapping[ReasonCode, tuple[str, ...]] = {
    "model_states_exceed_one_gpu": ("model-state-bytes", "how-many-gpus"),
    "activations_exceed_one_gpu": ("activation-checkpointing", "backward-peak"),
    "needs_more_than_fsdp": ("tensor-parallel-or-fsdp", "context-parallel-and-fsdp", "cpu-offload"),
    "multi_gpu_failure": ("hang-find-the-rank", "oom-checklist"),
    "fsdp_code_review": ("fully-shard-basics",),
    "fits_one_gpu": ("model-state-bytes",),
    "ddp_suffices": ("ddp-or-fsdp",),
    "lora_on_one_gpu_suffices": ("lora-or-full-sharding",),
    "single_gpu_only": ("world-size-one",),
    "no_multi_gpu_hardware": ("world-size-one",),
    "inference_only": ("fsdp-for-inference",),
    "explicit_run_request": ("smoke-test-toy-model",),
}
"""Slugs by the reason's code, the weightiest first."""
