"""compare: a run folder with measured trials becomes the winner's plan; measurements on a GPU are kept when asked."""

import json
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import ExecutionInfo, Runtime

from contracts.canonical import canonical_json
from contracts.request import Request
from contracts.settings import Settings
from engines.intake.assess import assess_request
from engines.sizing.calibration import read_records
from engines.sizing.candidates import candidates
from engines.sizing.choose import choose_plan
from engines.sizing.hf_config import read_folder
from nodes.compare import compare
from runners import Home, prepare_trials

RUN = "r-0123456789ab"


@pytest.fixture
def asked(tmp_path: Path) -> dict[str, Any]:
    model = tmp_path / "model"
    model.mkdir()
    shape = {
        "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "intermediate_size": 128,
        "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 4, "vocab_size": 256,
    }  # fmt: skip
    (model / "config.json").write_text(json.dumps(shape))
    (model / "model.safetensors").write_bytes(b"\2\0\0\0\0\0\0\0{}")
    (model / "tokenizer.json").write_text("{}")
    return {
        "intent": "plan",
        "trials": 2,
        "model": {"path": str(model)},
        "hardware": {"device": "cpu", "ranks": 2},
        "recipe": {"seq_len": 32},
    }


def ran(asked: dict[str, Any], home: Home, *results: dict[str, Any]) -> dict[str, Any]:
    """The state of a thread whose trials ended, with these results in the run folder."""
    request = Request.model_validate(asked)
    need, shape = assess_request(request), read_folder(Path(asked["model"]["path"]))
    plan = choose_plan(request, need, shape)
    tried = candidates(request, plan, shape, 2).trials
    launch = prepare_trials(request, tried, home).launch
    folder = home.runs / RUN
    (folder / "trials").mkdir(parents=True)
    (folder / "spec.json").write_bytes(canonical_json(launch.model_dump(mode="json")))
    for trial, result in zip(tried, results, strict=False):
        (folder / "trials" / f"{trial.label}.json").write_text(json.dumps(result | {"label": trial.label}))
    return {
        "asked": asked,
        "need": need.model_dump(mode="json"),
        "plan": plan.model_copy(update={"launch": launch}).model_dump(mode="json"),
        "trials": {"trials": [trial.model_dump(mode="json") for trial in tried]},
        "run_id": RUN,
        "phase": "done",
    }


def call(home: Home, state: dict[str, Any]) -> dict[str, Any]:
    info = ExecutionInfo(checkpoint_id="", checkpoint_ns="", task_id="", thread_id="t-1")
    runtime = Runtime(context=Settings(home=str(home.root)), execution_info=info, stream_writer=lambda _: None)
    return dict(compare(state, runtime))  # type: ignore[arg-type]


def measured(speed: float, **more: Any) -> dict[str, Any]:
    facts = {"peak_gib": 0.5, "peak_of": "rss", "torch": "2.13.0", "device": "cpu"}
    return {"status": "measured", "steps": 8, "step_s": 0.1, "tokens_per_s_per_gpu": speed} | facts | more


def test_the_plan_becomes_the_winner_s(asked: dict[str, Any], tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    state = ran(asked, home, measured(100.0), measured(200.0))
    out = call(home, state)
    assert out["trials"]["winner"] == state["trials"]["trials"][1]["label"]
    assert out["plan"]["recipe"] == state["trials"]["trials"][1]["recipe"]
    assert out["plan"]["decisions"][0]["because"] == out["trials"]["because"]
    assert "phase" not in out  # it stays as the watch left it
    assert out["plan"]["launch"] is None  # no data, so there is nothing to train on


def test_with_data_the_winner_s_training_is_ready_and_a_run_goes_on_to_it(
    asked: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "train.jsonl").write_text('{"text": "a"}\n')
    home, data = Home(tmp_path / "home"), {"data": {"train": str(tmp_path / "train.jsonl")}}
    out = call(home, ran(asked | data | {"intent": "run"}, home, measured(100.0), measured(200.0)))
    assert out["plan"]["launch"]["kind"] == "train"
    assert out["phase"] == "reviewing"
    assert len(out["launch_hash"]) == 64


def test_where_none_was_measured_it_is_a_failure_that_names_each_reason(asked: dict[str, Any], tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    failed = {"status": "failed", "reason": "hung: no sign of life for 9 s (limit 8 s)"}
    out = call(home, ran(asked, home, failed, failed))
    assert (out["phase"], out["error"]["code"]) == ("failed", "trials_failed")
    assert "no sign of life" in out["error"]["message"]
    assert "plan" not in out


def test_a_run_that_was_cut_short_counts_as_far_as_it_came(asked: dict[str, Any], tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    error = {"code": "run_cancelled", "message": "cancelled", "hint": ""}
    out = call(home, ran(asked, home, measured(100.0)) | {"phase": "failed", "error": error})
    assert out["trials"]["winner"] == "chosen"
    assert [result["status"] for result in out["trials"]["results"]] == ["measured", "not_run"]
    assert "phase" not in out  # that it was cancelled stays told


def test_peaks_of_a_gpu_are_kept_once_where_it_was_asked_for(asked: dict[str, Any], tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    state = ran(asked | {"store_calibration": True}, home, measured(100.0))
    predicted = state["trials"]["trials"][0]["predicted_reserved_gib"]
    on_gpu = {"peak_of": "cuda_reserved", "peak_gib": 1.2 * predicted, "device": "NVIDIA H200"}
    result = home.runs / RUN / "trials" / "chosen.json"
    result.write_text(json.dumps(measured(100.0, **on_gpu) | {"label": "chosen"}))
    first, again = call(home, state), call(home, state)
    path = home.calibrations / "h200-torch-2.13.0.jsonl"
    [record] = read_records(path.read_text(), path.name)
    assert record.reserved_gib == pytest.approx(1.2 * predicted)
    assert record.source == f"run {RUN}, trial chosen"
    assert str(path) in first["trials"]["kept"][0] == again["trials"]["kept"][0]
