"""reduce_dtype alone reduces fp32 gradients in bf16 and leaves all-gather and compute in fp32."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard


def _noting(names, seen):
    name = next(name for name in names if hasattr(dist, name))
    original = getattr(dist, name)

    def noting(*args, **kwargs):
        out = args[0] if args else kwargs.get("output", kwargs.get("output_tensor"))
        seen.append(str(out.dtype).removeprefix("torch."))
        return original(*args, **kwargs)

    setattr(dist, name, noting)
    return name, original


def probe(rank, world_size):
    """Note the dtypes of both collectives in one step."""
    net = fully_shard(nn.Linear(4, 4), mp_policy=MixedPrecisionPolicy(reduce_dtype=torch.bfloat16))
    gathered, reduced = [], []
    saved = [
        _noting(("all_gather_single", "all_gather_into_tensor"), gathered),
        _noting(("reduce_scatter_single", "reduce_scatter_tensor"), reduced),
    ]
    try:
        out = net(torch.ones(2, 4))
        out.sum().backward()
    finally:
        for name, original in saved:
            setattr(dist, name, original)
    assert out.dtype == net.weight.grad.dtype == torch.float32
    assert (set(gathered), set(reduced)) == ({"float32"}, {"bfloat16"}), (gathered, reduced)
    return {"all-gather": "float32", "reduce-scatter": "bfloat16", "gradient": "float32"}
