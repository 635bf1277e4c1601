"""The example that ships: made from nothing, trained on two CPU ranks, used afterwards."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import yaml
from transformers import AutoModelForCausalLM, AutoTokenizer

from contracts.request import Request

pytestmark = pytest.mark.train

EXAMPLE = Path(__file__).parents[3] / "examples" / "tiny_sft"


@pytest.fixture(scope="module")
def made(tmp_path_factory, module_torchrun):
    """The example's files, made in a folder of the test's own."""
    folder = tmp_path_factory.mktemp("example")
    command = [sys.executable, str(EXAMPLE / "make.py"), str(folder / "build")]
    subprocess.run(command, check=True, capture_output=True, timeout=120, env=module_torchrun.environment())
    return folder


@pytest.fixture(scope="module")
def run_dir(made, module_torchrun, tmp_path_factory):
    """Run folder of the job that the example's request asks for."""
    request = Request.model_validate(yaml.safe_load((EXAMPLE / "request.yaml").read_text()))
    config = {
        "model": str(made / request.model.path),
        "train_data": str(made / request.data.train),
        "eval_data": str(made / request.data.eval),
        "device": request.hardware.device,
        "recipe": request.recipe.model_dump(mode="json"),
    }
    run_dir = tmp_path_factory.mktemp("run")
    done = module_torchrun.job(config, run_dir, ranks=request.hardware.ranks)
    assert done.returncode == 0, done.stderr[-4000:]
    return run_dir


def test_files_are_the_same_at_each_making(made, module_torchrun, tmp_path):
    command = [sys.executable, str(EXAMPLE / "make.py"), str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True, timeout=120, env=module_torchrun.environment())
    for name in ("train.jsonl", "eval.jsonl", "model/model.safetensors", "model/tokenizer.json", "model/config.json"):
        assert (tmp_path / name).read_bytes() == (made / "build" / name).read_bytes(), name


def test_model_is_small(made):
    assert AutoModelForCausalLM.from_pretrained(made / "build" / "model").num_parameters() < 5_000_000


def test_loss_falls_clearly_on_what_was_seen_and_on_what_was_not(run_dir, read_losses, read_events):
    losses = read_losses(run_dir)
    assert losses[1] > 5.5
    assert losses[80] < 0.6
    evaluations = [event["loss"] for event in read_events(run_dir, "eval")]
    assert len(evaluations) == 2
    assert evaluations[1] < evaluations[0]
    assert evaluations[1] < 0.6


def test_the_exported_model_answers(made, run_dir):
    """Greedy answers to held-out questions: most of the words of each are right."""
    export = json.loads((run_dir / "result.json").read_text())["export"]
    model, tokenizer = AutoModelForCausalLM.from_pretrained(export), AutoTokenizer.from_pretrained(export)
    examples = [json.loads(line) for line in (made / "build" / "eval.jsonl").read_text().splitlines()][:8]
    right = total = 0
    for example in examples:
        ids = torch.tensor([tokenizer(example["prompt"]).input_ids])
        answer = tokenizer.decode(model.generate(ids, max_new_tokens=60, do_sample=False)[0, ids.shape[1] :])
        wanted = example["response"].split()
        right += sum(a == b for a, b in zip(wanted, answer.replace("</s>", "").split(), strict=False))
        total += len(wanted)
    assert right / total > 0.7
