"""Recommended configurations against the dry run: real `fully_shard` on tensors without memory."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from contracts.aim import Aim
from contracts.recipe import Recipe
from contracts.request import Hardware, ModelRef, Request
from engines.sizing.choose import choose_plan, setup_of
from engines.sizing.dryrun import replay_trace
from engines.sizing.dryrun_trace import read_trace
from engines.sizing.hf_config import named_shape
from knowledge.shapes import find_shape

PAYLOAD = Path(__file__).parents[2] / "runners" / "payload" / "fsdp_dryrun.py"
GIB = 2**30
FIELDS = (
    "ranks", "dp_shard", "dp_replicate", "micro_batch", "seq_len", "param_dtype", "reduce_dtype", "master_dtype",
    "optimizer", "optimizer_impl", "ac", "loss_impl", "wrap", "reshard_after_forward", "reshard_last", "root_reshard",
    "cpu_offload",
)  # fmt: skip

SAMPLES = [
    ("Llama-3.2-1B", 8, "H100", 4096, "fastest"),
    ("Llama-3.2-1B", 2, "RTX 3090", 2048, "fastest"),
    ("Llama-3.2-1B", 4, "RTX 4090", 4096, "fastest"),
    ("Llama-3.2-1B", 8, "A100-40GB", 8192, "largest_micro_batch"),
    ("Llama-3.2-1B", 2, "L40S", None, "longest_sequence"),
    ("TinyLlama-1.1B", 4, "RTX 4090", 2048, "fastest"),
    ("TinyLlama-1.1B", 2, "RTX 3090", 2048, "largest_micro_batch"),
    ("TinyLlama-1.1B", 64, "A10G", 2048, "fewest_gpus"),
    ("Qwen2.5-0.5B", 2, "L4", 4096, "fastest"),
    ("Qwen2.5-0.5B", 8, "RTX 3090", 2048, "largest_micro_batch"),
    ("Qwen2.5-1.5B", 4, "RTX 4090", 2048, "fastest"),
    ("Qwen2.5-1.5B", 8, "A100-40GB", None, "longest_sequence"),
    ("Qwen3-0.6B", 2, "RTX 4090", 4096, "fastest"),
    ("Qwen3-1.7B", 8, "A6000", 4096, "fastest"),
    ("Llama-3.2-3B", 8, "A100-40GB", 4096, "fastest"),
    ("Qwen2.5-3B", 4, "L40S", 4096, "fastest"),
    ("Llama-3-8B", 8, "H100", 8192, "fastest"),
    ("Llama-3-8B", 4, "RTX 4090", 2048, "fastest"),
    ("Mistral-7B", 32, "H100", 4096, "fastest"),
    ("Qwen2.5-7B", 8, "A100", 2048, "largest_micro_batch"),
]
"""(model, GPUs, GPU, sequence length, goal)."""


def planned(model, gpus, gpu, seq_len, goal):
    request = Request(
        intent="plan",
        method="full",
        model=ModelRef(name=model),
        hardware=Hardware(gpus=gpus, gpu_type=gpu),
        recipe=Recipe(seq_len=seq_len) if seq_len else Recipe(),
        aim=Aim(goal=goal),
    )
    made = choose_plan(request, None, named_shape(model))
    return made, setup_of(request, made.recipe, made.world_size)


@pytest.mark.slow
@pytest.mark.train
@pytest.mark.timeout(900)
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: "-".join(str(part) for part in sample))
def test_a_recommended_configuration_fits_by_the_dry_run(sample, tmp_path):
    made, setup = planned(*sample)
    assert made.fits
    (tmp_path / "config.json").write_text(json.dumps(find_shape(sample[0]).config))
    told = {name: getattr(setup, name) for name in FIELDS} | {"config": str(tmp_path / "config.json")}
    (tmp_path / "dryrun.json").write_text(json.dumps(told))
    done = subprocess.run(
        [sys.executable, str(PAYLOAD), "--config", str(tmp_path / "dryrun.json")],
        env=dict(os.environ, FSDP_RUN_DIR=str(tmp_path), OMP_NUM_THREADS="1"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = replay_trace(read_trace(next(tmp_path.glob("trace*.jsonl"))), expandable=setup.expandable_segments)
    reserved = found.reserved / GIB
    print(f"{sample}: predicted {made.memory.reserved_gib:.2f}, dry run {reserved:.2f} GiB")
    assert reserved + made.memory.overhead_gib <= made.memory.capacity_gib
    # nineteen of them are within 2.5 %; Mistral, with its window of 4096 tokens, takes 8.7 % more than predicted
    assert reserved == pytest.approx(made.memory.reserved_gib, rel=0.1)
