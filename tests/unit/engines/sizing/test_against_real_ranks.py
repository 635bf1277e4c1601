"""The model's bytes against a real FSDP2 run: two gloo ranks, counted in torch."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engines.sizing.hf_config import from_config
from engines.sizing.layout import lay_out, stages
from engines.sizing.setup import make_setup
from engines.sizing.step import Step

CONFIG = {
    "model_type": "llama",
    "hidden_size": 512,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "intermediate_size": 1408,
    "vocab_size": 4096,
    "max_position_embeddings": 512,
}
BATCH, LENGTH = 2, 256

COUNTER = """
import json, os, sys
import torch, torch.distributed as dist
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from transformers import AutoConfig, AutoModelForCausalLM

fields = json.loads(sys.argv[1]); batch, length = int(sys.argv[2]), int(sys.argv[3])
dist.init_process_group("gloo")
config = AutoConfig.for_model(fields.pop("model_type"), **fields)
model = AutoModelForCausalLM.from_config(config)
policy = MixedPrecisionPolicy(torch.bfloat16, torch.float32)
for block in model.model.layers:
    fully_shard(block, mp_policy=policy, reshard_after_forward=True)
fully_shard(model, mp_policy=policy)
optimizer = torch.optim.AdamW(model.parameters())

def local(tensors):
    return sum(t.to_local().untyped_storage().nbytes() for t in tensors)

counted = {"parameters": local(model.parameters())}
tokens = torch.randint(0, fields["vocab_size"], (batch, length))
kept, inside, gathered = {}, [], set()

def pack(tensor):
    # gathered weights, saved for the backward, are FSDP's to hold
    storage = tensor.untyped_storage()
    if inside and storage.data_ptr() not in gathered:
        kept[storage.data_ptr()] = storage
    return tensor

def enter(block, *_):
    gathered.clear()  # the block before has released its own; their addresses may come again
    gathered.update(p.untyped_storage().data_ptr() for p in block.parameters())
    inside.append(1)

for block in model.model.layers:
    block.register_forward_pre_hook(enter)
    block.register_forward_hook(lambda *_: inside.clear())
for step in range(2):
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        logits = model(input_ids=tokens, use_cache=False).logits
    tables = set() if step else {id(s) for s in kept.values() if s.nbytes() == 2 * length * config.head_dim}
    if step == 0:
        counted["activations"] = sum(s.nbytes() for s in kept.values() if id(s) not in tables)
    loss = torch.nn.functional.cross_entropy(logits.float().flatten(0, 1), tokens.flatten())
    inside.clear(); kept.clear()
    loss.backward()
    # the sharded gradients of a group are views of one reduce-scatter output
    counted["gradients"] = sum({
        s.data_ptr(): s.nbytes() for s in (p.grad.to_local().untyped_storage() for p in model.parameters())
    }.values())
    optimizer.step()
    counted["optimizer_state"] = local(
        value for state in optimizer.state.values() for name, value in state.items() if name != "step"
    )
    optimizer.zero_grad()
if dist.get_rank() == 0:
    print("COUNTED " + json.dumps(counted), flush=True)
dist.barrier()
dist.destroy_process_group()
os._exit(0)  # a thread of gloo may abort an interpreter that goes away
"""


class Counting(Step):
    """A step that notes what is there at the same moments."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.noted = {}

    def forward(self):
        lives, hidden = super().forward()
        # what the blocks keep, with the last one's result, which the final norm's code holds as well
        self.noted["activations"] = self.saved
        return lives, hidden

    def micro_steps(self):
        super().micro_steps()
        groups = self.layout.groups
        self.noted["gradients"] = sum(block.size for group in groups for block in group.grads)

    def step(self):
        super().step()
        self.noted["parameters"] = sum(block.size for block in self.state)
        self.noted["optimizer_state"] = sum(block.size for block in self.optimizer_state)


@pytest.mark.train
def test_bytes_of_two_real_ranks(tmp_path):
    pytest.importorskip("torch", reason="the oracle is a real FSDP2 run")
    pytest.importorskip("transformers", reason="the oracle is transformers' own model")
    script = tmp_path / "counter.py"
    script.write_text(COUNTER)
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2", "--rdzv-backend=c10d"]
    command += ["--rdzv-endpoint=localhost:0", str(script), json.dumps(CONFIG), str(BATCH), str(LENGTH)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, env=environment, cwd=Path(tmp_path))
    lines = [line for line in done.stdout.splitlines() if line.startswith("COUNTED ")]
    assert lines, done.stderr[-2000:]
    counted = json.loads(lines[0].removeprefix("COUNTED "))

    shape = from_config(CONFIG)
    setup = make_setup(
        ranks=2,
        micro_batch=BATCH,
        seq_len=LENGTH,
        device="cpu",
        norm_kernel="decomposed",
        optimizer_impl="fused",
        reshard_last=True,
    )
    step = Counting(shape, setup, lay_out(shape, setup, stages(shape, setup)[0]))
    step.step()
    for name, real in counted.items():
        assert step.noted[name] == pytest.approx(real, rel=0.01), name
