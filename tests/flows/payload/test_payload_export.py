"""The exported folder is the checkpoint, in the form that transformers reads."""

import json
import stat

import pytest
import torch
import torch.distributed.checkpoint as dcp
from safetensors import safe_open
from transformers import AutoModelForCausalLM, AutoTokenizer

pytestmark = pytest.mark.train


@pytest.fixture(scope="module")
def jobs(make_model, make_config, llama_config, module_torchrun):
    """Run folders of jobs that export, by the name of their model, and those models."""
    models = {
        "untied": make_model("untied", llama_config()),
        "tied": make_model("tied", llama_config(tie_word_embeddings=True)),
        # not a multiple of the ranks: 301 rows and 65 columns leave uneven shards
        "uneven": make_model("uneven", llama_config(vocab_size=301, intermediate_size=65)),
    }
    (models["tied"] / "generation_config.json").write_text('{"temperature": 0.5, "do_sample": false}')
    configs = {name: make_config(model, steps=4, export=True, eval_data=False) for name, model in models.items()}
    return models, module_torchrun.drive(configs)


def from_checkpoint(source, run_dir):
    """A plain model with the weights of the last DCP checkpoint, read in this one process."""
    model = AutoModelForCausalLM.from_pretrained(source, dtype=torch.float32)
    state = {"model": model.state_dict()}
    dcp.load(state, checkpoint_id=run_dir / "ckpt" / "step-00000004", no_dist=True)
    model.load_state_dict(state["model"])
    return model.eval()


@pytest.mark.parametrize("name", ["untied", "tied", "uneven"])
def test_logits_are_those_of_the_checkpoint_and_not_of_the_start(jobs, name):
    models, run_dirs = jobs
    exported = AutoModelForCausalLM.from_pretrained(run_dirs[name] / "export").eval()
    ids = torch.arange(2, 34).reshape(2, 16)
    with torch.no_grad():
        found = exported(ids).logits
        expected = from_checkpoint(models[name], run_dirs[name])(ids).logits
        start = AutoModelForCausalLM.from_pretrained(models[name])(ids).logits
    assert exported.dtype == torch.float32
    assert torch.equal(found, expected)
    assert (found - start).abs().max() > 0.01


def test_folder_is_complete_and_usable(jobs, corpus):
    models, run_dirs = jobs
    export = run_dirs["untied"] / "export"
    text = json.loads((corpus / "train.jsonl").read_text().splitlines()[0])["prompt"]
    ours, theirs = (AutoTokenizer.from_pretrained(folder) for folder in (export, models["untied"]))
    assert ours(text).input_ids == theirs(text).input_ids
    model = AutoModelForCausalLM.from_pretrained(export)
    assert (model.config.use_cache, model.config.architectures) == (True, ["LlamaForCausalLM"])
    assert model.generate(torch.tensor([[5, 6]]), max_new_tokens=2, do_sample=False).shape == (1, 4)
    assert stat.S_IMODE((export / "model.safetensors").stat().st_mode) == stat.S_IMODE(
        (export / "config.json").stat().st_mode
    )
    assert sorted(path.name for path in run_dirs["untied"].iterdir() if path.name.startswith(".")) == []


def test_tied_weights_are_stored_once_and_a_given_generation_config_is_kept(jobs):
    export = jobs[1]["tied"] / "export"
    with safe_open(export / "model.safetensors", framework="pt") as stored:
        names = set(stored.keys())
    assert "model.embed_tokens.weight" in names
    assert "lm_head.weight" not in names
    assert json.loads((export / "generation_config.json").read_text())["temperature"] == 0.5


def test_events_and_result_name_the_folder(jobs, read_events):
    run_dir = jobs[1]["untied"]
    assert json.loads((run_dir / "result.json").read_text())["export"] == str(run_dir / "export")
    assert read_events(run_dir, "export")[0]["data"] == {"path": str(run_dir / "export")}
