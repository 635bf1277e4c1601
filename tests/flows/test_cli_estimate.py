"""estimate beyond a prediction: charts, measured peaks, what was left open."""

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

CLI = str(Path(sys.executable).parent / "fsdp-agent")
SCHEMA = Path(__file__).parents[2] / "docs" / "schemas" / "estimate.schema.json"
TINY = ("--model", "llama-3.2-1b", "--gpus", "8", "--seq-len", "4096", "--activation-checkpointing", "full")
PATIENCE_S = 180


def cli(*words, code=0):
    environment = os.environ | {"HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [CLI, "estimate", *map(str, words)], capture_output=True, text=True, timeout=PATIENCE_S, env=environment
    )
    assert done.returncode == code, (done.stdout, done.stderr)
    return done


def answer(*words, code=0):
    found = json.loads(cli(*words, "--json", code=code).stdout)
    if code == 0:
        jsonschema.validate(found, json.loads(SCHEMA.read_text()))
    return found


def test_a_picture_of_a_step_and_of_the_peak_against_the_ranks(tmp_path):
    found = answer(*TINY, "--gpu", "H100", "--plot", tmp_path / "memory.png", "--plot-over", "ranks")
    assert found["low_gib"] < found["reserved_gib"] < found["high_gib"]
    assert (tmp_path / "memory.png").read_bytes().startswith(b"\x89PNG\r\n")


def test_a_drawing_names_the_components_and_the_limit(tmp_path):
    cli(*TINY, "--gpu", "A100-40GB", "--plot", tmp_path / "memory.svg")
    drawing = (tmp_path / "memory.svg").read_text()
    assert drawing.lstrip().startswith("<?xml")
    for word in ("optimizer_state", "unsharded_groups", "A100-40GB: 39.", "tokens per sequence"):
        assert f"<!-- {word}" in drawing, word


def test_a_form_that_is_none_is_refused_before_anything_is_written(tmp_path):
    error = answer(*TINY, "--plot", tmp_path / "memory.docx", code=2)["error"]
    assert ".png" in error["hint"]
    assert list(tmp_path.iterdir()) == []


def test_measured_peaks_are_used_only_when_named_and_are_shown(tmp_path):
    file = tmp_path / "peaks.jsonl"
    plain = answer(*TINY)
    measured = round(plain["reserved_gib"] * 1.25, 3)
    answer(*TINY, "--calibration", file, "--measured", measured, "--source", "run r-7 on our H100s")
    assert answer(*TINY) == plain
    found = answer(*TINY, "--calibration", file)
    assert found["calibrated_gib"] == pytest.approx(measured, rel=1e-4)
    assert found["reserved_gib"] == plain["reserved_gib"]
    assert [used["source"] for used in found["calibration"]] == ["run r-7 on our H100s"]
    assert "run r-7 on our H100s" in cli(*TINY, "--calibration", file).stdout
    other = cli("--model", "llama-3.2-1b", "--gpus", "8", "--seq-len", "4096", "--calibration", file)
    assert "no measured run of this kind" in other.stdout


def test_a_measurement_without_its_source_is_not_stored(tmp_path):
    file = tmp_path / "peaks.jsonl"
    assert "together" in answer(*TINY, "--calibration", file, "--measured", "5", code=2)["error"]["message"]
    assert (
        "peak of -5.0"
        in answer(*TINY, "--calibration", file, "--measured", "-5", "--source", "x", code=2)["error"]["message"]
    )
    assert not file.exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--gpus", "0"), "--gpus"),
        (("--set", "tp=3"), "= 3, but there are 8"),
        (("--set", "dp_shard=5"), "= 5, but there are 8"),
        (("--set", "reshard_after_forward=3"), "8 / 3 = 2.67"),
        (("--set", "seq_len=-1"), "seq_len"),
        (("--set", "seq_len=NaN"), "seq_len"),
        (("--set", 'ranks="many"'), "ranks"),
        (("--set", "micro_batch=1e99"), "micro_batch"),
        (("--set", "nonsense"), "name=value"),
    ],
)
def test_nonsense_is_refused_with_its_arithmetic(words, said):
    assert said in answer(*TINY, *words, code=2)["error"]["message"]
