"""The steps of a dry run: forward, loss, backward, optimizer."""

from collections.abc import Iterable
from typing import Any, Protocol

import torch
from fsdp_dryrun_config import Dryrun
from fsdp_dryrun_loss import loss_of
from fsdp_dryrun_model import synchronize_gradients
from fsdp_sft_config import ConfigError
from torch import nn

_MICRO_STEPS = 2
"""The second micro-step stands for all that follow it."""


class Marks(Protocol):
    """Where phases are noted."""

    def mark(self, phase: str) -> None:
        """Note that a phase begins."""

    def end_step(self) -> None:
        """Note that an optimizer step ends."""


class Trainer:
    """A model with its optimizer."""

    def __init__(self, model: nn.Module, blocks: list[nn.Module], run: Dryrun, marks: Marks, device: Any) -> None:
        """Build the optimizer; its state comes with its first step."""
        self._model, self._run, self._marks, self._device = model, run, marks, device
        blocks[-1].register_forward_hook(lambda *_: self._blocks_done())
        self._forwards = False
        self._optimizer: Any = None
        if run.optimizer_in_backward:
            for parameter in model.parameters():
                own = make_optimizer([parameter], run)
                parameter.register_post_accumulate_grad_hook(lambda _, own=own: (own.step(), own.zero_grad()))
        elif run.optimizer != "none":
            self._optimizer = make_optimizer(model.parameters(), run)

    def step(self) -> None:
        """Run one optimizer step."""
        count = min(_MICRO_STEPS, self._run.grad_accum)
        for index in range(count):
            synchronize_gradients(self._model, index == count - 1 or not self._run.accumulate_unsharded)
            self._micro_step()
        self._marks.mark("optimizer")
        if self._optimizer is not None:
            self._optimizer.step()
        self._marks.end_step()
        # at the start of a step in the estimate's words: the pools of the last one are met first
        self._model.zero_grad()

    def _micro_step(self) -> None:
        run, marks = self._run, self._marks
        shape = run.micro_batch, run.seq_len
        marks.mark("forward")
        self._forwards = True
        tokens, labels = (torch.zeros(shape, dtype=torch.int64, device=self._device) for _ in range(2))
        logits = _logits(self._model(tokens))
        if run.loss_impl == "fp32_in_model":
            logits = logits.float()
        marks.mark("loss")
        logits.register_hook(lambda _: marks.mark("backward"))
        loss = loss_of(logits, labels, run)
        if not run.logits_kept:
            del logits
        loss.backward()

    def _blocks_done(self) -> None:
        if self._forwards:  # a recomputation runs the block again
            self._forwards = False
            self._marks.mark("blocks_done")


def _logits(result: Any) -> torch.Tensor:
    """Return the logits among a model's results.

    Raises:
        ConfigError: There are none.
    """
    found = result if isinstance(result, torch.Tensor) else getattr(result, "logits", None)
    if found is None and isinstance(result, tuple | list) and result:
        found = result[0]
    if not isinstance(found, torch.Tensor):
        raise ConfigError(f"the model's forward returned a {type(result).__name__} without logits")
    return found


def make_optimizer(parameters: Iterable[Any], run: Dryrun) -> torch.optim.Optimizer:
    """Return the optimizer.

    Raises:
        ConfigError: This torch has none of that name.
    """
    chosen = {"foreach": {"foreach": True}, "fused": {"fused": True}, "loop": {"foreach": False}}[run.optimizer_impl]
    if run.optimizer == "adamw":
        return torch.optim.AdamW(parameters, **chosen)
    if run.optimizer in ("sgd", "sgd_momentum"):
        return torch.optim.SGD(parameters, lr=0.1, momentum=0.9 if run.optimizer == "sgd_momentum" else 0.0, **chosen)
    kind = getattr(torch.optim, {"adafactor": "Adafactor", "muon": "Muon"}[run.optimizer], None)
    if kind is None:
        raise ConfigError(f"torch {torch.__version__} has no optimizer {run.optimizer}")
    return kind(parameters)  # type: ignore[no-any-return]
