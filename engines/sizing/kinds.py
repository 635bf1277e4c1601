"""The kinds of a setting, and what one element of each takes."""

from typing import Literal

Checkpointing = Literal["none", "full", "selective_op", "every_k"]
"""none: every activation is kept; full: each block keeps its input alone;
selective_op: torchtitan's policy, which keeps attention, reductions and every second
matrix product; every_k: one block in `ac_every` is checkpointed, the others keep all."""

LossImpl = Literal["plain", "fp32_copy", "fp32_in_model", "chunked", "chunked_head", "compiled", "fused_linear"]
"""plain: cross-entropy on logits of the compute dtype; fp32_copy: the loss casts the
logits; fp32_in_model: the model returns fp32 logits; chunked: `loss_chunks` pieces, each
cast alone; chunked_head: the head works in such pieces as well; compiled: the cast is fused
away; fused_linear: head and loss in pieces that leave no logits."""

Optimizer = Literal["none", "sgd", "sgd_momentum", "adamw", "adamw_8bit", "adafactor", "muon"]
"""none: nothing is trained with state; the others as they are known."""

STATE_BYTES_PER_ELEMENT: dict[str, float] = {
    "none": 0,
    "sgd": 0,
    "sgd_momentum": 1,  # one buffer of the parameters' dtype
    "adamw": 2,  # two moments of the parameters' dtype
    "adafactor": 0,  # rows and columns only: below 0.1 % of a matrix
    "muon": 1,  # one momentum buffer
}
"""Optimizer state, in tensors of the parameter's own size and dtype."""

DTYPE_BYTES = {"fp32": 4, "bf16": 2, "fp16": 2}
"""Bytes of one element."""

Schedule = Literal["1f1b", "gpipe", "interleaved_1f1b"]
"""Pipeline schedules: 1f1b alternates forward and backward; gpipe runs all forwards first;
interleaved_1f1b gives each rank `pp_virtual` smaller stages."""
