"""A plan with a launch where there is something to run, without one where there is not."""

import json
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime

from contracts.launch import LaunchRequest
from contracts.request import Request
from contracts.settings import Settings
from engines.intake.assess import assess_request
from nodes.plan import plan

SHAPE = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "vocab_size": 256,
}


@pytest.fixture
def request_body(tmp_path: Path) -> dict[str, Any]:
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text(json.dumps(SHAPE))
    (model / "model.safetensors").write_bytes(b"\2\0\0\0\0\0\0\0{}")
    (model / "tokenizer.json").write_text("{}")
    (tmp_path / "train.jsonl").write_text('{"text": "a"}\n')
    return {
        "intent": "run",
        "model": {"path": str(model)},
        "data": {"train": str(tmp_path / "train.jsonl")},
        "hardware": {"device": "cpu", "ranks": 1},
    }


def call(tmp_path: Path, body: dict[str, Any], **state: Any) -> dict[str, Any]:
    need = assess_request(Request.model_validate(body)).model_dump(mode="json")
    return plan({"asked": body, "need": need, **state}, Runtime(context=Settings(home=str(tmp_path / "home"))))


def test_a_run_gets_a_launch_and_its_hash(tmp_path: Path, request_body: dict[str, Any]) -> None:
    out = call(tmp_path, request_body)
    assert out["phase"] == "reviewing"
    launch = LaunchRequest.model_validate(out["plan"]["launch"])
    assert out["launch_hash"] == launch.launch_hash
    assert launch.estimated_peak_gib == out["plan"]["memory"]["reserved_gib"]
    assert Path(out["plan"]["artifacts"][0]).parent == tmp_path / "home" / "plans" / out["plan"]["plan_id"]


def test_a_diagnosis_may_change_the_recipe_and_then_the_launch_is_another(
    tmp_path: Path, request_body: dict[str, Any]
) -> None:
    first = call(tmp_path, request_body | {"recipe": {"micro_batch": 4}})
    changed = {
        "recipe.micro_batch": 2,
        "recipe.grad_accum": 2,
        "env.PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True",
    }
    round_ = {"round": 1, "cause": "memory-exceeds-gpu", "kind": "recipe", "settings": changed, "why": "memory ran out"}
    before = {"plan": first["plan"], "run_id": "r-0123456789ab", "run": {"state": "failed"}}
    second = call(
        tmp_path, request_body | {"recipe": {"micro_batch": 4}}, amendment=round_, amendments=[round_], **before
    )
    assert (second["plan"]["recipe"]["micro_batch"], second["plan"]["recipe"]["grad_accum"]) == (2, 2)
    kept = {name: value for name, value in first["plan"]["recipe"].items() if name not in ("micro_batch", "grad_accum")}
    assert kept.items() <= second["plan"]["recipe"].items(), "what was chosen before is not chosen anew"
    assert second["plan"]["launch"]["env"]["PYTORCH_CUDA_ALLOC_CONF"] == "expandable_segments:True"
    assert second["plan"]["amendment"]["why"] == "memory ran out"
    assert second["launch_hash"] != first["launch_hash"]
    assert second["approval"] is None
    assert second["run_id"] is None
    assert second["amendment"] is None


def test_a_change_that_cannot_be_planned_leaves_the_run_that_failed(
    tmp_path: Path, request_body: dict[str, Any]
) -> None:
    first = call(tmp_path, request_body)
    round_ = {"round": 1, "cause": "x", "kind": "recipe", "settings": {"recipe.micro_batch": -1}, "why": "wrong"}
    run = {"run_id": "r-0123456789ab", "run": {"state": "failed"}}
    out = call(tmp_path, request_body, amendment=round_, amendments=[round_], plan=first["plan"], **run)
    assert (out["phase"], out["run_id"], out["run"]) == ("failed", "r-0123456789ab", {"state": "failed"})
    assert "micro_batch" in out["error"]["message"]


def test_a_change_of_lines_that_are_no_longer_there_is_refused(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("print('edited meanwhile')\n")
    body = {"intent": "run", "script": {"path": str(script)}, "hardware": {"device": "cpu", "ranks": 2}}
    edit = {"line": 1, "old": ["print('as it was')"], "new": ["print('mended')"]}
    round_ = {"round": 1, "cause": "x", "kind": "script", "edits": {str(script): [edit]}, "why": "changed"}
    first = call(tmp_path, body)
    out = call(tmp_path, body, amendment=round_, amendments=[round_], plan=first["plan"])
    assert out["phase"] == "failed"
    assert "no longer what it was" in out["error"]["message"]


def test_a_shape_by_name_is_planned_and_writes_nothing(tmp_path: Path) -> None:
    body = {"intent": "plan", "model": {"name": "Llama-3-8B"}, "hardware": {"gpus": 8, "gpu_type": "H100"}}
    out = call(tmp_path, body)
    assert out["plan"]["launch"] is None
    assert out["launch_hash"] is None
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"intent": "plan", "hardware": {"gpus": 8}}, "model_missing"),
        ({"intent": "plan", "model": {"name": "no-such-model-9000"}, "hardware": {"gpus": 8}}, "model_unknown"),
        ({"intent": "plan", "model": {"name": "Llama-3-8B"}}, "ranks_missing"),
    ],
)
def test_what_cannot_be_known_is_asked(tmp_path: Path, body: dict[str, Any], code: str) -> None:
    out = call(tmp_path, body)
    assert out["phase"] == "needs_input"
    assert out["error"]["code"] == code
    assert out["plan"] is None
