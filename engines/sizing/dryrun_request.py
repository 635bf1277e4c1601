"""What a dry run is asked for: the part of a setup that real `fully_shard` on one process can express."""

from math import lcm
from typing import Any

from engines.sizing.setup import TrainingSetup
from engines.sizing.shape import ModelShape

FIELDS = (
    "ranks",
    "dp_shard",
    "dp_replicate",
    "micro_batch",
    "seq_len",
    "grad_accum",
    "accumulate_unsharded",
    "param_dtype",
    "reduce_dtype",
    "master_dtype",
    "optimizer",
    "optimizer_impl",
    "optimizer_in_backward",
    "ac",
    "ac_every",
    "attention_kept",
    "loss_impl",
    "loss_chunks",
    "shifted_copy",
    "logits_kept",
    "wrap",
    "reshard_after_forward",
    "reshard_last",
    "root_reshard",
    "cpu_offload",
)
"""Settings that the payload takes as they are."""

_EXPRESSED: dict[str, tuple[Any, str]] = {
    "fsdp": (2, "only FSDP2 is run dry"),
    "tp": (1, "tensor parallelism is not run dry"),
    "cp": (1, "context parallelism is not run dry"),
    "pp": (1, "pipeline parallelism is not run dry"),
    "ep": (1, "expert parallelism is not run dry"),
    "compile": (False, "a compiler's buffers are its own: torch.compile is not run dry"),
    "float8": ("none", "float8 is not run dry"),
    "lora_rank": (0, "adapters are not run dry"),
    "optimizer_paged": (False, "a paged optimizer is not part of torch"),
    "act_offload": (False, "activations in host memory are not run dry"),
    "autocast": (False, "autocast is not run dry"),
    "device": ("cuda", "the dry run speaks of a GPU's memory"),
}
"""Settings with the only value that a dry run has, and why."""

_OPTIMIZERS = ("none", "sgd", "sgd_momentum", "adamw")
"""Optimizers that run on fake shards."""


_FEW_LAYERS = 8
"""With fewer, other moments of a step are the highest than in a deep model."""


def inexpressible(setup: TrainingSetup) -> tuple[str, ...]:
    """Return why a setup cannot be run dry; empty where it can."""
    reasons = [
        f"{name} {getattr(setup, name)}: {why}"
        for name, (value, why) in _EXPRESSED.items()
        if getattr(setup, name, value) != value
    ]
    if setup.optimizer not in _OPTIMIZERS:
        reasons.append(f"optimizer {setup.optimizer}: run dry are {', '.join(_OPTIMIZERS)}")
    if setup.ranks == 1:
        reasons.append("1 rank: nothing is sharded")
    return tuple(reasons)


def dryrun_settings(setup: TrainingSetup, shape: ModelShape | None) -> dict[str, Any]:
    """Return the payload's settings.

    Args:
        setup: How the model is trained.
        shape: The model, where it is known; it may have no kernel for its attention.
    """
    eager = setup.materialized_attention or (shape is not None and shape.eager_attention)
    return {name: getattr(setup, name) for name in FIELDS} | {"attention": "eager" if eager else "auto"}


def quick_layers(shape: ModelShape, setup: TrainingSetup) -> tuple[int, ...]:
    """Return two numbers of layers whose dry runs tell that of all; empty where nothing is saved.

    Every kind of layer is in both, in the same share in what the second adds.
    """
    period = setup.ac_every if setup.ac == "every_k" else 1
    first = 0
    if shape.experts is not None:
        period, first = lcm(period, shape.experts.every), shape.experts.first
    step = period * -(-_FEW_LAYERS // (2 * period))
    start = -(-(first + _FEW_LAYERS) // period) * period
    # what the last layers add is added by all: the remainder of a period would be lost
    rest = (shape.layers - start) % period
    low, high = start + rest, start + rest + step
    return (low, high) if high < shape.layers else ()
