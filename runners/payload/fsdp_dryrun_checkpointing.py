"""Activation checkpointing of blocks, as it is applied in training."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from fsdp_dryrun_config import Dryrun
from fsdp_dryrun_kernels import EFFICIENT, FLASH
from torch import nn
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

aten = torch.ops.aten


def checkpoint_blocks(blocks: list[nn.Module], run: Dryrun) -> None:
    """Let the chosen blocks, in the model's order, run under activation checkpointing."""
    for number, block in enumerate(blocks, start=1):
        if run.ac == "none" or (run.ac == "every_k" and number % run.ac_every):
            continue
        # no dropout is replayed, and a card that is not there has no random state to keep
        settings: dict[str, Any] = {"use_reentrant": False, "preserve_rng_state": False}
        if run.ac == "selective_op":
            settings["context_fn"] = partial(_selective, run.attention_kept)
        block.forward = partial(checkpoint, block.forward, **settings)  # type: ignore[method-assign]


def _selective(attention_kept: bool) -> Any:
    """Return the contexts of a policy that keeps attention, maxima and every second matrix product."""
    kept = {aten.max.default, torch.ops._c10d_functional.reduce_scatter_tensor.default}
    if attention_kept:
        kept |= {FLASH, EFFICIENT}
    return create_selective_checkpoint_contexts(_policy(kept))


def _policy(kept: set[Any]) -> Callable[..., CheckpointPolicy]:
    products = {False: 0, True: 0}

    def decide(context: Any, func: Any, *arguments: Any, **settings: Any) -> CheckpointPolicy:
        del arguments, settings
        keep = func in kept
        if func is aten.mm.default:
            products[context.is_recompute] += 1
            keep = products[context.is_recompute] % 2 == 1
        return CheckpointPolicy.MUST_SAVE if keep else CheckpointPolicy.PREFER_RECOMPUTE

    return decide
