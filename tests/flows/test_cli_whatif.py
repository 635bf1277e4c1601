"""`fsdp-agent whatif` and the plan's goals through the command line itself."""

import json

import jsonschema
import pytest

from interfaces.cli.main import run_command
from interfaces.cli.schemas import schema_of

LLAMA = ["--model", "Llama-3-8B", "--gpus", "8", "--gpu", "H100", "--seq-len", "8192"]


def ask(capsys, *words):
    code = run_command(words)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_questions_are_listed(capsys):
    code, out, _ = ask(capsys, "whatif")
    assert code == 0
    assert out.count("\n") >= 18
    assert "reshard-mesh" in out


def test_a_table_a_chart_and_json(capsys, tmp_path):
    picture = tmp_path / "checkpointing.png"
    code, out, _ = ask(capsys, "whatif", "activation-checkpointing", *LLAMA, "--chart", str(picture))
    assert code == 0
    assert "selective_op" in out
    assert picture.read_bytes()[:4] == b"\x89PNG"
    code, out, _ = ask(capsys, "whatif", "activation-checkpointing", *LLAMA, "--json")
    found = json.loads(out)
    jsonschema.validate(found, schema_of("whatif"))
    assert [row["checkpointing"] for row in found["rows"]] == ["none", "selective_op", "every second block", "full"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["whatif", "colour", *LLAMA], 2),
        (["whatif", "peak"], 2),
        (["whatif", "peak", "--model", "Llama-3-8B"], 3),
        (["whatif", "hsdp", *LLAMA], 2),
        (["whatif", "no-reshard", *LLAMA, "--network", "carrier pigeon"], 3),
        (["whatif", "peak", *LLAMA, "--chart", "/nowhere/at/all.png"], 2),
        (["whatif", "peak", *LLAMA, "--set", "tp"], 2),
    ],
)
def test_wrong_use_is_told_in_one_message(capsys, words, code):
    given, out, err = ask(capsys, *words)
    assert given == code
    assert out == ""
    assert err.startswith("error: ")


def test_a_plan_takes_a_goal_and_a_price(capsys):
    code, out, _ = ask(
        capsys, "plan", *LLAMA, "--goal", "largest_micro_batch", "--tokens", "1000000", "--price", "2", "--json"
    )
    made = json.loads(out)
    jsonschema.validate(made, schema_of("plan"))
    assert code == 0
    assert made["config"]["micro_batch"] >= 2
    assert made["throughput"]["tokens_per_s_per_gpu"] > 3000
    assert made["bill"]["cost"] == pytest.approx(2 * made["bill"]["gpu_hours"])
    assert made["ranked"]
    code, _, err = ask(capsys, "plan", *LLAMA, "--goal", "prettiest")
    assert code == 2
    assert "prettiest" in err or "goal" in err


def test_a_plan_for_several_machines_tells_mesh_scaling_and_checkpoints(capsys):
    nodes = ["--model", "Llama-3-8B", "--gpus", "32", "--nodes", "4", "--gpu", "H100", "--seq-len", "4096"]
    failing = ["--gpu-hours-per-failure", "3200", "--storage", "2", "--restart-minutes", "5"]
    code, out, _ = ask(capsys, "plan", *nodes, *failing, "--tokens", "1000000000", "--price", "2", "--json")
    made = json.loads(out)
    jsonschema.validate(made, schema_of("plan"))
    assert code == 0
    scale = made["scale"]
    assert [mesh["chosen"] for mesh in scale["meshes"]].count(True) == 1
    assert [point["nodes"] for point in scale["curve"]] == [1, 2, 4, 8, 16]
    # 3200 GPU hours / 32 GPUs
    assert scale["checkpointing"]["hours_between_failures"] == 100
    assert made["config"]["checkpoint_every"] == scale["checkpointing"]["interval_steps"]
    assert scale["cost"] == pytest.approx(made["bill"]["cost"] / (scale["checkpointing"]["useful_pct"] / 100), rel=1e-3)
    assert any(decision["choice"].startswith("checkpoint_every=") for decision in made["decisions"])
    code, out, _ = ask(capsys, "plan", *nodes)
    assert code == 0
    assert "a failure every 1,583.7 hours" in out  # 54 x 24 x 16384 / 419 / 32
    code, out, _ = ask(capsys, "plan", *LLAMA, "--json")
    assert json.loads(out)["scale"] is None


def test_scaling_as_a_table_and_a_line(capsys, tmp_path):
    picture = tmp_path / "scaling.png"
    words = ["whatif", "scaling", *LLAMA, "--gpu-hours-per-failure", "100000", "--chart", str(picture)]
    code, out, _ = ask(capsys, *words)
    assert code == 0
    assert "16384" in out.replace(",", "")
    assert picture.read_bytes()[:4] == b"\x89PNG"


def test_where_nothing_fits_the_exit_code_tells_and_checkpointing_is_named(capsys):
    words = ["--model", "Mistral-7B", "--gpus", "2", "--gpu", "RTX 3090", "--seq-len", "1024", "--json"]
    code, out, _ = ask(capsys, "whatif", "batch-size", *words)
    found = json.loads(out)
    assert code == 1
    assert [row["fits"] for row in found["rows"]] == [False]
    assert "No activation checkpointing was assumed" in found["answer"]
    assert "about 0.00 GiB" not in found["arithmetic"][0]
    code, out, _ = ask(capsys, "whatif", "batch-size", *words, "--activation-checkpointing", "full")
    full = json.loads(out)
    assert code == 1
    assert f"takes {full['rows'][0]['reserved']:.2f} GiB" in found["answer"]
    assert "was assumed" not in full["answer"]


def test_how_long_it_may_be_takes_no_length(capsys):
    words = ["whatif", "sequence-length", *LLAMA[:-2], "--json"]
    code, out, _ = ask(capsys, *words)
    assert code == 0
    assert json.loads(out)["answer"] == json.loads(ask(capsys, *words, "--seq-len", "2048")[1])["answer"]


def test_a_setting_that_there_is_not_is_told_with_those_that_there_are(capsys):
    code, _, err = ask(capsys, "whatif", "peak", *LLAMA, "--set", "machines=4")
    assert code == 2
    assert "'machines' is no setting" in err
    assert "dp_replicate" in err
    assert "Extra inputs" not in err
