"""The FSDP2 snippet of a plan, imported by a training script on two ranks."""

import json
import os
import subprocess
import sys

import pytest

from contracts.recipe import Recipe
from engines.artefacts.job import Job
from engines.artefacts.snippet import NAME, snippet

SCRIPT = """
import json
import os
import torch
from torch.distributed.tensor import DTensor
from transformers import LlamaConfig, LlamaForCausalLM
import fsdp2_setup as setup

mesh = setup.make_mesh()
torch.manual_seed(0)
sizes = dict(hidden_size=64, intermediate_size=128, num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=2)
model = LlamaForCausalLM(LlamaConfig(vocab_size=256, **sizes))
whole = sum(parameter.numel() for parameter in model.parameters())
model = setup.shard(model, mesh)
optimizer = setup.make_optimizer(model)
rank = torch.distributed.get_rank()
torch.manual_seed(rank)
batches = [torch.randint(0, 256, (setup.MICRO_BATCH, setup.SEQ_LEN)) for _ in range(setup.GRAD_ACCUM)]
losses = [setup.step(model, optimizer, batches, lambda m, b: m(input_ids=b, labels=b).loss).item() for _ in range(4)]
parameters = list(model.parameters())
report = {
    "sharded": all(isinstance(parameter, DTensor) for parameter in parameters),
    "dtype": str(parameters[0].dtype),
    "whole": whole,
    "mine": sum(parameter.to_local().numel() for parameter in parameters),
    "losses": losses,
    "mesh": list(mesh.mesh_dim_names),
    "wrapped": sum("_checkpoint_wrapped_module" in name for name, _ in model.named_parameters()) > 0,
}
if rank == 0:
    open("report.json", "w").write(json.dumps(report))
torch.distributed.barrier()
torch.distributed.destroy_process_group()
os._exit(0)  # a thread of gloo may abort an interpreter that goes away
"""


@pytest.mark.train
@pytest.mark.parametrize("replicas", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_the_snippet_shards_checkpoints_and_learns(tmp_path, replicas):
    recipe = Recipe(
        seq_len=16, micro_batch=2, grad_accum=2, lr=0.01, activation_checkpointing="full", dp_replicate=replicas
    )
    (tmp_path / NAME).write_text(snippet(Job("tiny", recipe, 2, 1, "cpu")))
    (tmp_path / "train.py").write_text(SCRIPT)
    words = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", "train.py"]
    done = subprocess.run(
        [sys.executable, *words],
        cwd=tmp_path,
        env=dict(os.environ, OMP_NUM_THREADS="1"),
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads((tmp_path / "report.json").read_text())
    assert found["sharded"]
    assert found["wrapped"]
    assert found["dtype"] == "torch.float32"
    assert found["mesh"] == (["shard"] if replicas == 1 else ["replicate", "shard"])
    assert found["mine"] == pytest.approx(found["whole"] * replicas / 2, rel=0.02)
    assert found["losses"][-1] < found["losses"][0]
