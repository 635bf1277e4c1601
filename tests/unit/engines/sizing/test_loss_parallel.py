"""The loss over a split vocabulary, as torch's loss_parallel allocates it: counted by torch's own profiler."""

import json
import subprocess
import sys

import pytest

from engines.sizing.ends import record_head
from engines.sizing.setup import make_setup
from engines.sizing.shape import ModelShape

TOKENS, VOCAB = 512, 4096

COUNTER = """
import json, sys
import torch, torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Shard
from torch.distributed.tensor.parallel import loss_parallel
from torch.testing._internal.distributed.fake_pg import FakeStore

tokens, vocab = int(sys.argv[1]), int(sys.argv[2])
dist.init_process_group("fake", rank=0, world_size=2, store=FakeStore())
mesh = init_device_mesh("cpu", (2,))
local = torch.randn(tokens, vocab // 2, requires_grad=True)
labels = torch.randint(0, vocab, (tokens,))

def once():
    # as a model's last operation would leave it: nothing but the loss holds it
    logits = DTensor.from_local(local * 1.0, mesh, [Shard(1)])
    with loss_parallel():
        loss = torch.nn.functional.cross_entropy(logits, labels)
        del logits
        loss.backward()
    local.grad = None

once()
with torch.profiler.profile(profile_memory=True) as profile:
    once()
events = [e for e in profile.profiler.kineto_results.events() if e.name() == "[memory]"]
held = most = 0
for event in sorted(events, key=lambda e: e.start_ns()):
    held += event.nbytes()
    most = max(most, held)
print("COUNTED", json.dumps(most))
"""


def test_the_peak_of_a_split_loss_is_torchs():
    pytest.importorskip("torch", reason="the oracle is torch's own loss")
    done = subprocess.run(
        [sys.executable, "-c", COUNTER, str(TOKENS), str(VOCAB)], capture_output=True, text=True, timeout=300
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("COUNTED ")]
    assert lines, done.stderr[-2000:]
    unit = 4 * TOKENS * VOCAB // 2
    real = json.loads(lines[0].removeprefix("COUNTED ")) / unit

    shape = ModelShape(layers=1, hidden=8, heads=1, kv_heads=1, head_dim=8, ffn=8, vocab=VOCAB)
    setup = make_setup(ranks=2, tp=2, seq_len=TOKENS, param_dtype="fp32", loss_impl="plain", norm_kernel="fused")
    head = record_head(shape, setup)
    held = most = 0
    sizes = {}
    for slot, size in (*head.piece.forward, *head.piece.backward[: head.loss_ends]):
        held += size or -sizes.pop(slot, 0)
        if size:
            sizes[slot] = size
        most = max(most, held)
    assert most / unit == pytest.approx(real, abs=0.1)
    assert real > 3.9  # the plain loss holds three
