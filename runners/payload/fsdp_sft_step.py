"""One optimizer step and one evaluation. Every function here is a collective."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from fsdp_sft_config import Recipe
from fsdp_sft_data import IGNORED, Batch
from fsdp_sft_model import reshard
from fsdp_sft_world import World
from torch import nn
from torch.distributed.fsdp import FSDPModule
from torch.distributed.tensor import DTensor


@dataclass(frozen=True)
class StepOutcome:
    """What one optimizer step gave; the same on all ranks."""

    loss: float
    """Mean cross-entropy in nats per target token, over all ranks and micro-steps."""
    grad_norm: float
    """Global gradient norm before clipping."""
    applied: bool
    """False where the gradient was not finite, so that the weights were left alone."""


def build_optimizer(model: nn.Module, recipe: Recipe) -> torch.optim.AdamW:
    """Return AdamW over the sharded parameters; weight decay is for matrices only.

    To be called after `fully_shard` and before any forward: a forward leaves the root's
    parameters unsharded, and an optimizer built then would hold temporaries.
    """
    parameters = list(model.parameters())
    groups = [
        {"params": [p for p in parameters if p.ndim >= 2], "weight_decay": recipe.weight_decay},
        {"params": [p for p in parameters if p.ndim < 2], "weight_decay": 0.0},
    ]
    groups = [group for group in groups if group["params"]]
    return torch.optim.AdamW(groups, lr=recipe.lr, betas=(recipe.beta1, recipe.beta2), eps=recipe.eps)


def learning_rate(step: int, recipe: Recipe) -> float:
    """Return the learning rate of a step: linear warm-up, then half a cosine.

    Args:
        step: Optimizer steps done before it, from 0.
        recipe: Names peak, warm-up and the share of the peak at the last step.
    """
    if step < recipe.warmup_steps:
        return recipe.lr * (step + 1) / recipe.warmup_steps
    way = (step - recipe.warmup_steps) / max(1, recipe.steps - 1 - recipe.warmup_steps)
    share = recipe.min_lr_ratio + (1 - recipe.min_lr_ratio) * (1 + math.cos(math.pi * min(1.0, way))) / 2
    return recipe.lr * share


def loss_sum(model: nn.Module, batch: Batch, device: torch.device) -> torch.Tensor:
    """Return the summed cross-entropy of a micro-batch's target tokens, in fp32."""
    logits = model(input_ids=batch.input_ids.to(device), use_cache=False).logits
    labels = batch.labels.to(device)
    return F.cross_entropy(logits.float().flatten(0, 1), labels.flatten(), ignore_index=IGNORED, reduction="sum")


def train_step(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    batches: list[Batch],
    targets: float,
    recipe: Recipe,
    world: World,
) -> StepOutcome:
    """Run forward and backward for each micro-batch, clip, and step.

    Args:
        model: The sharded model.
        optimizer: Over its parameters, learning rate set.
        batches: This rank's micro-batches.
        targets: Target tokens of all ranks and micro-batches; the loss is their mean.
        recipe: Names the norm to clip to.
        world: This process among the others.
    """
    assert isinstance(model, FSDPModule), "the model must be sharded"
    # FSDP divides gradients by the world size; the mean over tokens wants their sum
    scale = world.size / max(1.0, targets)
    losses = []
    for micro_step, batch in enumerate(batches):
        # gradients of earlier micro-steps wait unsharded; the last backward reduces them all
        model.set_requires_gradient_sync(micro_step == len(batches) - 1)
        loss = loss_sum(model, batch, world.device)
        (loss * scale).backward()
        losses.append(loss.detach().double())
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), recipe.max_grad_norm or math.inf)
    # a DTensor, replicated or (older torch) partial: only the full tensor is the global norm everywhere
    grad_norm = float((norm.full_tensor() if isinstance(norm, DTensor) else norm).item())
    applied = math.isfinite(grad_norm)
    if applied:
        optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    (total,) = world.total(sum(losses).item())
    return StepOutcome(total / max(1.0, targets), grad_norm, applied)


@torch.no_grad()
def evaluate(model: nn.Module, batches: Iterable[Batch], world: World) -> tuple[float, float]:
    """Return the mean cross-entropy in nats per target token, and the target tokens.

    Args:
        model: The sharded model.
        batches: This rank's micro-batches, as many on every rank; those that are only
            there to keep the ranks in step have no targets.
        world: This process among the others.
    """
    model.eval()
    summed, targets = 0.0, 0
    for batch in batches:
        summed += loss_sum(model, batch, world.device).double().item()
        targets += batch.targets
    model.train()
    # no backward came to do it; the optimizer must not meet gathered copies
    reshard(model)
    total, count = world.total(summed, targets)
    return total / max(1.0, count), count
