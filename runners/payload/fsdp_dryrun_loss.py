"""The loss of a training step, in the ways in which training code computes it."""

from typing import Any

import torch
from fsdp_dryrun_config import Dryrun
from torch import nn
from torch.nn import functional


def loss_of(logits: torch.Tensor, labels: torch.Tensor, run: Dryrun) -> torch.Tensor:
    """Return the mean cross-entropy of the model's result.

    Args:
        logits: (batch, tokens, vocabulary); or the loss itself where the head computed it.
        labels: (batch, tokens).
        run: Says how.
    """
    if run.loss_impl == "fused_linear":
        return logits.sum()
    if run.loss_impl == "compiled":
        return _Compiled.apply(logits.flatten(0, 1))
    if run.loss_impl == "chunked":
        pieces = zip(logits.chunk(run.loss_chunks, 1), labels.chunk(run.loss_chunks, 1), strict=True)
        losses = [
            functional.cross_entropy(piece.flatten(0, 1).float(), truth.flatten(), reduction="sum")
            for piece, truth in pieces
        ]
        return torch.stack(losses).sum() / labels.numel()
    if run.loss_impl == "fp32_copy":
        logits = logits.float()
    if run.shifted_copy:
        logits, labels = logits[:, :-1].contiguous(), labels[:, 1:].contiguous()
    return functional.cross_entropy(logits.flatten(0, 1), labels.flatten())


def fuse_head(head: nn.Module, run: Dryrun) -> None:
    """Let an output head compute the loss in pieces, so that there are never all logits."""

    def forward(hidden: torch.Tensor) -> torch.Tensor:
        return _FusedLinear.apply(hidden.flatten(0, -2), head.weight, run.loss_chunks)

    head.forward = forward  # type: ignore[method-assign]


class _Compiled(torch.autograd.Function):
    """A loss as a compiler fuses it: logits are read again in the backward, their gradient is written once."""

    @staticmethod
    def forward(context: Any, logits: torch.Tensor) -> torch.Tensor:
        context.save_for_backward(logits)
        return logits.new_empty((), dtype=torch.float32)

    @staticmethod
    def backward(context: Any, *grads: torch.Tensor) -> torch.Tensor:
        del grads
        (logits,) = context.saved_tensors
        return torch.empty_like(logits)


class _FusedLinear(torch.autograd.Function):
    """Head and loss in pieces, whose gradients are computed with them."""

    @staticmethod
    def forward(context: Any, hidden: torch.Tensor, weight: torch.Tensor, pieces: int) -> torch.Tensor:
        grad = torch.empty_like(hidden)
        weight_grad = torch.zeros_like(weight)
        for piece, part in zip(hidden.chunk(pieces), grad.chunk(pieces), strict=True):
            logits = piece @ weight.t()
            wide = logits.float()
            logs = functional.log_softmax(wide, -1)
            chances = logs.exp()
            del wide, logs
            logits.copy_(chances)
            del chances
            part.copy_(logits @ weight)
            weight_grad += logits.t() @ piece
        context.save_for_backward(grad, weight_grad)
        return hidden.new_empty((), dtype=torch.float32)

    @staticmethod
    def backward(context: Any, *grads: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, None]:
        del grads
        grad, weight_grad = context.saved_tensors
        return grad, weight_grad, None
