"""What CUDA would run, and what its kernels allocate for themselves.

A fake tensor passes through no kernel. Which attention kernel a GPU takes, and so what
autograd keeps, is decided here as torch decides it there; memory that kernels take and
give back unseen is added to the trace.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch.nn import functional

aten = torch.ops.aten

PRODUCTS = {
    aten.mm.default,
    aten.addmm.default,
    aten.bmm.default,
    aten.baddbmm.default,
}
"""Operations of cuBLAS: the first one of a thread takes its workspace."""

FLASH = aten._scaled_dot_product_flash_attention.default
EFFICIENT = aten._scaled_dot_product_efficient_attention.default
_FLASH_BACKWARD = aten._scaled_dot_product_flash_attention_backward.default

_FLASH_HEAD_DIM = 256
"""Largest dimension of a head for which flash attention has a kernel."""


def attend(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> torch.Tensor:
    """Compute scaled dot-product attention by the kernel that an Ampere or Hopper GPU takes.

    The order and the conditions are those of aten/src/ATen/native/transformers/cuda/sdp_utils.cpp:
    flash attention for half precision without a mask and with heads of one size, else the
    memory-efficient kernel, which takes no shared keys; else plain operations.
    """
    narrow = query.dtype in (torch.float16, torch.bfloat16)
    even = query.size(-1) == key.size(-1) == value.size(-1) <= _FLASH_HEAD_DIM
    if attn_mask is None and narrow and even:
        return FLASH(query, key, value, dropout_p, is_causal, scale=scale)[0]
    if enable_gqa and query.size(1) != key.size(1):
        settings = {"scale": scale, "enable_gqa": True}
        return aten._scaled_dot_product_attention_math(query, key, value, attn_mask, dropout_p, is_causal, **settings)[
            0
        ]
    bias = None
    if attn_mask is not None:
        bias = attn_mask
        if bias.dtype == torch.bool:
            bias = torch.zeros_like(bias, dtype=query.dtype).masked_fill_(bias.logical_not(), float("-inf"))
        bias = bias.expand(query.size(0), query.size(1), query.size(2), key.size(2))
    keep = query.requires_grad or key.requires_grad or value.requires_grad
    return EFFICIENT(query, key, value, bias, keep, dropout_p, is_causal, scale=scale)[0]


@contextlib.contextmanager
def cuda_choices() -> Iterator[None]:
    """Let attention take the kernel that CUDA would take, while the block runs."""
    attention = functional.scaled_dot_product_attention
    functional.scaled_dot_product_attention = attend
    try:
        yield
    finally:
        functional.scaled_dot_product_attention = attention


def temporaries(func: Any, args: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the bytes of what a kernel takes for itself, all at once, until it returns.

    Flash attention's backward (aten/src/ATen/native/transformers/cuda/flash_attn/flash_api.cpp,
    mha_bwd): the rows' products and the queries' gradient in fp32, and the gradients of keys
    and values for each query head where several share one.
    """
    if func is not _FLASH_BACKWARD:
        return ()
    query, key = args[1], args[2]
    batch, heads, length, width = query.shape
    rows = -(-length // 128) * 128
    columns = -(-width // 32) * 32 if width <= 128 else -(-width // 64) * 64
    sizes = [4 * batch * heads * rows, 4 * batch * heads * rows * columns]
    if key.size(1) != heads:
        sizes += [batch * key.size(2) * heads * width * query.element_size()] * 2
    return tuple(sizes)
