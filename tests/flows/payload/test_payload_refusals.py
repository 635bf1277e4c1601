"""What cannot start says so in one line; what goes wrong on the way is reported."""

import json
import shutil
import subprocess
import sys

import pytest
import torch
from safetensors.torch import load_file, save_file

pytestmark = pytest.mark.train


def test_a_wrong_configuration_is_refused_before_torch_is_loaded(torchrun, make_config, llama, tmp_path):
    """Run with torch blocked: the message must come from what needs none."""
    config = make_config(llama, step=3)
    (tmp_path / "config.json").write_text(json.dumps(config))
    blocked = "import runpy, sys; sys.modules['torch'] = None; sys.argv = sys.argv[1:]; "
    blocked += f"sys.path.insert(0, {str(torchrun.payload)!r}); runpy.run_path(sys.argv[0], run_name='__main__')"
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            blocked,
            str(torchrun.payload / "fsdp_sft.py"),
            "--config",
            str(tmp_path / "config.json"),
        ],
        env=torchrun.environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("fsdp_sft: recipe has unknown keys step; it may have activation_checkpointing, ")
    assert done.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["config.json"]


def test_a_broken_data_line_is_the_root_cause_that_torchrun_reports(torchrun, make_config, llama, tmp_path):
    data = tmp_path / "data.jsonl"
    data.write_text('{"text": "good"}\n{"text": 5}\n')
    config = make_config(llama) | {"train_data": str(data)}
    done = torchrun.job(config, tmp_path / "run")
    assert done.returncode == 1
    message = f'{data} line 2 needs "text" as a string, not 5'
    assert f"fsdp_sft: {message}" in done.stderr
    (error_file,) = {path.read_text() for path in (tmp_path / "log").glob("**/0/error.json")}
    assert json.loads(error_file)["message"]["message"] == f"ConfigError: {message}"
    assert "exitcode  : 2" in done.stderr
    run = tmp_path / "run"
    assert not (run / "events.jsonl").exists()
    assert list((run / "ckpt").iterdir()) == []


@pytest.fixture(scope="module")
def broken(make_config, make_model, llama, llama_config, module_torchrun, tmp_path_factory):
    """Run folders of jobs that must fail, each in its own way."""
    folder = tmp_path_factory.mktemp("broken")

    def changed(name, **keys):
        shutil.copytree(llama, folder / name)
        config = json.loads((llama / "config.json").read_text())
        (folder / name / "config.json").write_text(json.dumps(config | keys))
        return folder / name

    spoiled = changed("spoiled")
    weights = load_file(spoiled / "model.safetensors")
    weights["model.norm.weight"][0] = float("nan")
    save_file(weights, spoiled / "model.safetensors", metadata={"format": "pt"})
    headless = changed("headless")
    save_file({"a": torch.zeros(1)}, headless / "model.safetensors", metadata={"format": "pt"})
    tokenless = changed("tokenless")
    (tokenless / "tokenizer.json").unlink()
    (tokenless / "tokenizer_config.json").unlink()
    few = {"steps": 12, "checkpoint_every": 4}
    return module_torchrun.drive(
        {
            "not_finite": make_config(spoiled, **few),
            "no_weights": make_config(headless, **few),
            "no_tokenizer": make_config(tokenless, **few),
            "unknown_type": make_config(changed("unknown_type", model_type="unheard_of"), **few),
            "quantized": make_config(
                changed("quantized", quantization_config={"quant_method": "bitsandbytes", "load_in_4bit": True}), **few
            ),
            "too_long": make_config(llama, seq_len=129, **few),
            "replicas": make_config(llama, dp_replicate=3, **few),
            "other_shape": make_config(changed("other_shape", intermediate_size=96), **few),
        },
        failing=True,
    )


@pytest.mark.parametrize(
    ("job", "message"),
    [
        ("no_weights", "has no weights for 21 tensors of the model: model.embed_tokens.weight, "),
        ("no_tokenizer", "ConfigError: cannot read the tokenizer of"),
        ("unknown_type", "ConfigError: cannot build a causal language model from"),
        ("quantized", "holds quantized weights: full fine-tuning needs unquantized ones"),
        ("too_long", "seq_len (129) is above the model's max_position_embeddings (128)"),
        ("replicas", "dp_replicate (3) must divide the world size (2)"),
        ("other_shape", "has shape (112, 64), the model's configuration asks for (96, 64)"),
    ],
)
def test_a_job_that_cannot_start_says_why_and_leaves_nothing(broken, job, message):
    assert message in (broken[job] / "error.txt").read_text()
    assert not (broken[job] / "events.jsonl").exists()
    assert not (broken[job] / "result.json").exists()
    assert list((broken[job] / "ckpt").iterdir()) == []


def test_a_loss_that_is_no_number_warns_changes_no_weight_and_ends_the_job(broken, read_events):
    run_dir = broken["not_finite"]
    steps, warnings = read_events(run_dir, "step"), read_events(run_dir, "warning")
    assert [(event["step"], event["loss"]) for event in steps] == [(number, None) for number in range(1, 10)]
    assert [event["step"] for event in warnings] == list(range(1, 11))
    assert warnings[0]["data"]["code"] == "non_finite"
    assert "loss nan, gradient norm nan" in warnings[0]["data"]["message"]
    assert "no finite gradient in 10 steps, up to step 10" in (run_dir / "error.txt").read_text()
    # what was saved on the way is what was loaded: the updates were left out
    from torch.distributed.checkpoint import load

    state = {"model": {"model.embed_tokens.weight": torch.zeros(300, 64)}}
    load(state, checkpoint_id=run_dir / "ckpt" / "step-00000008", no_dist=True)
    assert state["model"]["model.embed_tokens.weight"].isfinite().all()
