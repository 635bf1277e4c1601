"""A study through the graph: asked, estimated, its trials approved or not, measured, concluded, reported.

In the short flows a program stands for the training interpreter: it writes the figures of
the trials as the payload does. One flow, marked `train` and `slow`, runs the real payload.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from contracts.settings import Settings
from contracts.study import Study
from runners import LocalRunner

EXAMPLE = Path(__file__).parents[2] / "examples" / "tiny_sft"
QUESTION = "Is activation checkpointing or reshard_after_forward=False worth it for this model on this machine?"

# Keeps the contract of runners/payload/fsdp_trials.py without the training.
TRIALS = """#!{python}
import json, os, pathlib, sys
run = pathlib.Path(os.environ["FSDP_RUN_DIR"])
asked = json.loads(pathlib.Path(sys.argv[sys.argv.index("--trials") + 1]).read_text())["trials"]
speeds = json.loads((pathlib.Path(__file__).parent / "speeds.json").read_text())
(run / "trials").mkdir(exist_ok=True)
for trial, speed in zip(asked, speeds, strict=True):
    found = dict(label=trial["label"], status="measured" if speed else "failed", tokens_per_s_per_gpu=speed)
    found |= dict(spread_pct=2.0, step_s=0.5, peak_gib=0.4, peak_of="rss", steps=8, reason=None if speed else "killed")
    (run / "trials" / (trial["label"] + ".json")).write_text(json.dumps(found))
result = dict(status="done", steps=len(asked), loss=None, export=None)
(run / "result.json").write_text(json.dumps(result))
"""


@pytest.fixture
def asked(bench: Any) -> dict[str, Any]:
    python = bench.folder / "bin" / "python"
    python.write_text(TRIALS.replace("{python}", sys.executable))
    speeds(bench, [100.0, 70.0, 101.0, 98.0, 72.0, 102.0])
    kept = {name: bench.request[name] for name in ("model", "data", "interpreter")}
    return kept | {"text": QUESTION, "hardware": {"device": "cpu", "ranks": 2}, "recipe": {"seq_len": 16}}


def speeds(bench: Any, found: list[float | None]) -> None:
    (bench.folder / "bin" / "speeds.json").write_text(json.dumps(found))


def measured(thread: Any, bench: Any, request: dict[str, Any]) -> dict[str, Any]:
    thread.give(request=request | {"study": True})
    assert thread.state["phase"] == "awaiting_approval", thread.state.get("error")
    thread.answer(bench.decision(thread.question["launch_hash"]))
    record = bench.wait(thread.question["run_id"])
    assert record.state == "done", record.reason
    return thread.answer({"state": "done"})


def test_measured_options_are_told_apart_where_they_differ_and_not_where_they_do_not(
    thread: Any, bench: Any, asked: dict[str, Any]
) -> None:
    thread.give(request=asked | {"study": True})
    question = thread.question
    # what is approved is every trial, each twice and in turns
    labels = [one["label"] for one in question["launch"]["launches"]]
    assert len(labels) == 6
    assert [f"{label}-again" for label in labels[:3]] == labels[3:]
    waiting = Study.model_validate(thread.state["study"])
    assert [part.status for part in waiting.parts if part.kind == "trial"] == ["waiting"] * 6
    thread.answer(bench.decision(question["launch_hash"]))
    bench.wait(thread.question["run_id"])
    out = thread.answer({"state": "done"})
    assert (out["phase"], out["error"]) == ("done", None)
    found = Study.model_validate(out["study"])
    assert [part.status for part in found.parts if part.kind == "trial"] == ["answered"] * 6
    assert {part.source for part in found.parts if part.kind == "trial"} == {out["run_id"]}
    by_name = {row["option"]: row for row in found.rows}
    # (100 + 98) / 2 and (101 + 102) / 2 are 2.5 % apart, and such trials differ by 3 % anyway
    assert by_name["no activation checkpointing, full sharding"]["measured"] == 99.0
    assert by_name["no resharding after forward (ZeRO-2)"]["measured"] == 101.5
    assert by_name["full activation checkpointing"]["measured"] == 71.0
    text = "\n".join(sentence.text for sentence in found.conclusion)
    assert found.choice is None
    assert "What was measured does not part them" in text
    assert "Full activation checkpointing is 30 % slower" in text
    assert any("t1" in sentence.parts and "t4" in sentence.parts for sentence in found.conclusion)
    report = Path(out["report"]["path"])
    told = report.read_text()
    for heading in (
        "In short",
        "How it was found out",
        "Estimates",
        "Conclusion",
        "What remains uncertain",
        "Citations",
    ):
        assert f"## {heading}" in told
    assert (report.parent / "study.png").read_bytes().startswith(b"\x89PNG")
    assert (
        "study.png" in (report.parent / "report.html").read_text()
        or "data:image/png" in (report.parent / "report.html").read_text()
    )
    # looked at again, nothing new is measured or said
    again = thread.give(request=None)
    assert again["study"] == out["study"]


def test_trials_that_failed_leave_the_estimate(thread: Any, bench: Any, asked: dict[str, Any]) -> None:
    speeds(bench, [None] * 6)
    out = measured(thread, bench, asked)
    found = Study.model_validate(out["study"])
    assert out["phase"] == "done"
    assert [(part.status, part.result) for part in found.parts if part.kind == "trial"] == [("failed", "killed")] * 6
    assert "only a trial tells" in "\n".join(sentence.text for sentence in found.conclusion)


def test_rejected_trials_are_not_run_and_the_study_is_told_without_them(
    thread: Any, bench: Any, asked: dict[str, Any]
) -> None:
    thread.give(request=asked | {"study": True})
    out = thread.answer(bench.decision(thread.question["launch_hash"], "reject"))
    assert out["phase"] == "declined"
    assert not bench.home.runs.exists() or not list(bench.home.runs.iterdir())
    trials = [part for part in Study.model_validate(out["study"]).parts if part.kind == "trial"]
    assert {(part.status, part.result) for part in trials} == {("skipped", "a person rejected them")}
    assert "Rejected by ada" in out["report"]["summary"]
    assert "only a trial tells" in out["report"]["summary"]


def test_trials_that_cannot_be_prepared_here_are_skipped_with_the_reason(
    thread: Any, bench: Any, asked: dict[str, Any]
) -> None:
    (bench.folder / "model" / "model.safetensors").unlink()
    out = thread.give(request=asked | {"study": True})
    assert out["phase"] == "done"
    trials = [part for part in Study.model_validate(out["study"]).parts if part.kind == "trial"]
    assert {part.status for part in trials} == {"skipped"}
    assert all("safetensors" in part.result for part in trials)


def test_a_chat_question_that_weighs_configurations_becomes_a_study(thread: Any, bench: Any) -> None:
    # a dry run in an interpreter that is not the agent's own takes a person: none is started
    thread.context = Settings(home=str(bench.home.root), interpreter="/usr/bin/python-elsewhere")
    out = thread.say("HSDP or full shard for our 70B on 4 nodes over RoCE, and what does 128k context change?")
    assert out["phase"] == "needs_input"
    assert out["error"]["code"] == "study_inputs_missing"
    # the answer adds to the question
    out = thread.say("It is Llama-3-70B, 32 H100 80GB in all. RTX cards are no option.")
    assert out["phase"] == "done", out["error"]
    assert out["need"]["intent"] == "ask"
    assert out["study"]["choice"] == "full sharding"
    assert "cannot be told" not in out["report"]["summary"].splitlines()[1]


def test_a_general_question_stays_an_answer(thread: Any) -> None:
    out = thread.say("Does FSDP2 need ShardedGradScaler?")
    assert out["phase"] == "done"
    assert out["answer"]["covered"]
    assert not out.get("study")


@pytest.mark.train
@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_real_trials_of_the_tiny_model_on_two_cpu_ranks(thread: Any, bench: Any, tmp_path: Path) -> None:
    folder = tmp_path / "tiny"
    subprocess.run([sys.executable, EXAMPLE / "make.py", folder], check=True, timeout=300)
    request = {
        "text": QUESTION,
        "study": True,
        "model": {"path": str(folder / "model")},
        "data": {"train": str(folder / "train.jsonl")},
        "hardware": {"device": "cpu", "ranks": 2},
        "recipe": {"seq_len": 64, "param_dtype": "fp32"},
        "interpreter": sys.executable,
    }
    thread.give(request=request)
    assert thread.state["phase"] == "awaiting_approval", thread.state.get("error")
    thread.answer(bench.decision(thread.question["launch_hash"]))
    runner, run_id = LocalRunner(bench.home), thread.question["run_id"]
    for _ in range(10):  # each wait is bounded for one job of seconds; six trials take longer
        try:
            record = bench.wait(run_id)
            break
        except AssertionError:
            continue
    assert record.state == "done", record.reason + runner.logs(run_id)
    out = thread.answer({"state": "done"})
    assert (out["phase"], out["error"]) == ("done", None)
    found = Study.model_validate(out["study"])
    trials = [part for part in found.parts if part.kind == "trial"]
    assert [part.status for part in trials] == ["answered"] * 6, [part.result for part in trials]
    rows = [row for row in found.rows if row["measured"] is not None]
    assert len(rows) == 3
    for row in rows:
        assert row["measured"] > 0
        assert row["measured_error"] >= 3  # what two such trials may differ by anyway
    # what it says follows from what it measured
    ranked = sorted(rows, key=lambda row: -row["measured"])
    lead = 100 * (ranked[0]["measured"] / ranked[1]["measured"] - 1)
    error = max(ranked[0]["measured_error"], ranked[1]["measured_error"])
    if abs(lead - error) > 1:
        assert (found.choice is not None) == (lead > error)
    assert "gloo" in "\n".join(found.uncertain)


@pytest.mark.timeout(600)
def test_what_would_be_chosen_is_run_dry_with_the_real_fully_shard(thread: Any, bench: Any) -> None:
    hardware = {"gpus": 16, "nodes": 2, "gpu_type": "H100"}
    request = {"text": "HSDP or full sharding?", "study": True, "model": {"path": str(bench.folder / "model")}}
    out = thread.give(request=request | {"hardware": hardware, "recipe": {"seq_len": 128}})
    assert out["phase"] == "done", out["error"]
    found = Study.model_validate(out["study"])
    [dry] = [part for part in found.parts if part.kind == "dryrun"]
    assert dry.status == "answered", dry.result
    record = LocalRunner(bench.home).status(dry.source)
    assert (record.kind, record.state) == ("dryrun", "done")
    [row] = [row for row in found.rows if row.get("dry_run") is not None]
    assert row["option"] == dry.option
    # the same steps: prediction and dry run are of one size
    assert 0.5 < dry.figures[0].value / row["reserved"] < 2
    assert dry.figures[0].error_pct == 5
