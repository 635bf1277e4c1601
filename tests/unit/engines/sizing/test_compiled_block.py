"""What a compiled block keeps for its backward, as torch.compile's partitioner chooses it."""

import json
import subprocess
import sys

import pytest

from engines.sizing.decoder import record_block
from engines.sizing.setup import make_setup
from engines.sizing.shape import ModelShape

SIZES = {"hidden": 256, "heads": 8, "kv_heads": 2, "head_dim": 32, "ffn": 896}
BATCH, LENGTH, RANK = 2, 128, 8

PARTITIONER = """
import json, sys
import torch, torch.nn.functional as F
from torch import nn
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.partitioners import min_cut_rematerialization_partition
from torch._inductor.decomposition import select_decomp_table

sizes, batch, length, rank = json.loads(sys.argv[1])
D, H, KV, hd, FF = (sizes[name] for name in ("hidden", "heads", "kv_heads", "head_dim", "ffn"))
half = torch.bfloat16

class Projection(nn.Module):
    def __init__(self, cols, rows):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(rows, cols, dtype=half), requires_grad=not rank)
        if rank:
            self.down = nn.Linear(cols, rank, bias=False, dtype=half)
            self.up = nn.Linear(rank, rows, bias=False, dtype=half)

    def forward(self, x):
        out = F.linear(x, self.weight)
        return out + 2.0 * self.up(self.down(x)) if rank else out

class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(D, dtype=half), requires_grad=not rank)

    def forward(self, x):
        wide = x.float()
        return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)).type_as(x) * self.weight

class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = Projection(D, H * hd), Projection(D, KV * hd), Projection(D, KV * hd)
        self.o, self.down = Projection(H * hd, D), Projection(FF, D)
        self.gate, self.up = Projection(D, FF), Projection(D, FF)
        self.before, self.between = Norm(), Norm()
        self.register_buffer("turns", torch.ones(length, hd // 2, 2))

    def rotate(self, x):
        pairs, turns = x.float().unflatten(-1, (-1, 2)), self.turns[None, :, None]
        real = pairs[..., 0] * turns[..., 0] - pairs[..., 1] * turns[..., 1]
        imaginary = pairs[..., 1] * turns[..., 0] + pairs[..., 0] * turns[..., 1]
        return torch.stack([real, imaginary], -1).flatten(3).type_as(x)

    def repeated(self, x):
        return x[:, :, :, None].expand(batch, length, KV, H // KV, hd).flatten(2, 3)

    def forward(self, x):
        n = self.before(x)
        q, k, v = self.q(n).unflatten(-1, (H, hd)), self.k(n).unflatten(-1, (KV, hd)), self.v(n).unflatten(-1, (KV, hd))
        q, k, v = self.rotate(q), self.repeated(self.rotate(k)), self.repeated(v)
        mixed = F.scaled_dot_product_attention(*(part.transpose(1, 2) for part in (q, k, v)), is_causal=True)
        x = x + self.o(mixed.transpose(1, 2).flatten(2))
        n = self.between(x)
        return x + self.down(F.silu(self.gate(n)) * self.up(n))

kept = []

def count(graph, arguments):
    saved = next(node for node in graph.graph.nodes if node.op == "output").args[0][1:]
    values = [node.meta["val"] for node in saved if getattr(node, "op", "placeholder") != "placeholder"]
    # the attention's result is saved in two orders: views of one tensor
    stored = {value.untyped_storage()._cdata: value for value in values if isinstance(value, torch.Tensor)}
    kept.append(sum(value.untyped_storage().nbytes() for value in stored.values()))
    return graph

backend = aot_autograd(
    fw_compiler=count, bw_compiler=lambda graph, arguments: graph,
    partition_fn=min_cut_rematerialization_partition, decompositions=select_decomp_table(),
)
x = torch.randn(batch, length, D, dtype=half, requires_grad=True)
torch.compile(Decoder(), backend=backend)(x).sum().backward()
print("COUNTED", kept[0] + x.untyped_storage().nbytes())
"""


@pytest.mark.parametrize("rank", [0, pytest.param(RANK, marks=pytest.mark.slow)])
def test_kept_bytes_equal_those_that_the_partitioner_saves(rank):
    pytest.importorskip("torch", reason="the oracle is torch's own partitioner")
    given = json.dumps([SIZES, BATCH, LENGTH, rank])
    done = subprocess.run([sys.executable, "-c", PARTITIONER, given], capture_output=True, text=True, timeout=400)
    lines = [line for line in done.stdout.splitlines() if line.startswith("COUNTED ")]
    assert lines, done.stderr[-2000:]
    real = int(lines[0].removeprefix("COUNTED "))

    shape = ModelShape(layers=1, vocab=512, **SIZES)
    adapters = {"lora_rank": rank, "master_dtype": "bf16"} if rank else {}
    setup = make_setup(ranks=1, micro_batch=BATCH, seq_len=LENGTH, compile=True, model_code="torchtitan", **adapters)
    piece = record_block(shape, setup, mixture=False, checkpointed=False)
    alive = {piece.source: 2 * BATCH * LENGTH * SIZES["hidden"]}
    for slot, size in piece.forward:
        if size:
            alive[slot] = size
        else:
            del alive[slot]
    del alive[piece.result]
    assert sum(alive.values()) == pytest.approx(real, rel=0.01)
