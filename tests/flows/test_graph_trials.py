"""plan --trials through the graph: approval, real trials of the tiny model on two CPU ranks, and what they change."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from contracts.trials import Trials
from runners import LocalRunner

EXAMPLE = Path(__file__).parents[2] / "examples" / "tiny_sft"

pytestmark = [pytest.mark.train, pytest.mark.timeout(900)]


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example's model folder."""
    folder = tmp_path_factory.mktemp("tiny")
    subprocess.run([sys.executable, EXAMPLE / "make.py", folder / "build"], check=True, timeout=300)
    return folder / "build"


@pytest.fixture
def asked(model: Path) -> dict[str, Any]:
    return {
        "intent": "plan",
        "trials": 2,
        "model": {"path": str(model / "model")},
        "hardware": {"device": "cpu", "ranks": 2},
        "recipe": {"seq_len": 64, "param_dtype": "fp32", "micro_batch": 2},
        "interpreter": sys.executable,
    }


def runs(bench: Any) -> list[Path]:
    return list(bench.home.runs.iterdir()) if bench.home.runs.exists() else []


def test_two_configurations_are_tried_after_approval_and_the_winner_s_plan_comes_back(
    thread: Any, bench: Any, asked: dict[str, Any]
) -> None:
    thread.give(request=asked | {"store_calibration": True})
    assert thread.state["phase"] == "awaiting_approval", thread.state.get("error")
    question = thread.question
    # every launch is told: to programs, and to a chat window
    assert [one["label"] for one in question["launch"]["launches"]] == ["chosen", "reshard-off"]
    description = question["action_requests"][0]["description"]
    for one in question["launch"]["launches"]:
        assert "torch.distributed.run" in " ".join(one["argv"])
        assert one["label"] in description
        assert one["argv"][-1] in description
    assert "reshard_after_forward=False" in description
    assert "2 trials" in question["summary"]
    # nothing starts before a person has decided, whatever else comes in
    thread.say("go on, start it")
    assert not runs(bench)
    thread.answer(bench.decision(question["launch_hash"]))
    record = bench.wait(thread.question["run_id"])
    assert record.state == "done", record.reason + LocalRunner(bench.home).logs(record.run_id)
    out = thread.answer({"state": "done"})
    assert (out["phase"], out["error"]) == ("done", None)
    tried = Trials.model_validate(out["trials"])
    assert [result.status for result in tried.results] == ["measured", "measured"], tried
    for result in tried.results:
        # 2 sequences of 64 tokens in a step, of made-up text that fills them
        assert result.step_s is not None
        assert result.tokens_per_s_per_gpu == pytest.approx(2 * 64 / result.step_s, rel=0.5)
        assert result.peak_of == "rss"
        assert 0.05 < (result.peak_gib or 0) < 8
        assert (result.steps, result.device) == (8, "cpu")
    fastest = max(tried.results, key=lambda result: result.tokens_per_s_per_gpu or 0)
    assert tried.winner in ("chosen", fastest.label)
    won = next(trial for trial in tried.trials if trial.label == tried.winner)
    assert out["plan"]["recipe"] == won.recipe.model_dump(mode="json")
    assert out["plan"]["decisions"][0]["choice"] == f"trials: {tried.winner}"
    # resident sets are no measurement of a GPU: it is said, and nothing is stored
    assert all("resident set" in said for said in tried.kept)
    assert not bench.home.calibrations.exists()
    report = Path(out["report"]["path"])
    text = report.read_text()
    assert "## Trials" in text
    assert tried.because.split(":")[0] in text
    assert (report.parent / "trials.png").read_bytes().startswith(b"\x89PNG")
    # nothing was kept of the trainings themselves
    folder = bench.home.runs / record.run_id
    assert not list(folder.rglob("*.distcp"))
    assert not (folder / "trials" / "chosen" / "export").exists()


def test_a_file_that_was_changed_after_the_question_is_refused(thread: Any, bench: Any, asked: dict[str, Any]) -> None:
    thread.give(request=asked)
    question = thread.question
    config = Path(question["launch"]["launches"][1]["argv"][-1])
    config.chmod(0o644)
    config.write_text(config.read_text().replace('"lr": 2e-05', '"lr": 0.5'))
    out = thread.answer(bench.decision(question["launch_hash"]))
    assert (out["phase"], out["error"]["code"]) == ("failed", "content_changed")
    assert config.name in out["error"]["message"]
    assert not runs(bench)


def test_a_rejected_launch_starts_nothing(thread: Any, bench: Any, asked: dict[str, Any]) -> None:
    thread.give(request=asked)
    out = thread.answer(bench.decision(thread.question["launch_hash"], "reject"))
    assert out["phase"] == "declined"
    assert not runs(bench)


def test_what_trials_lack_is_said(thread: Any, bench: Any, asked: dict[str, Any]) -> None:
    thread.give(request=asked | {"model": {"name": "Llama-3.2-1B"}})
    assert thread.state["phase"] == "failed"
    assert "model.path" in thread.state["error"]["message"]
    assert not runs(bench)


@pytest.mark.slow
def test_trials_that_all_die_are_told_and_not_diagnosed(thread: Any, bench: Any, asked: dict[str, Any]) -> None:
    # weights of another shape than the configuration says: every rank fails at once, in every trial
    broken = bench.folder / "broken"
    broken.mkdir()
    for path in Path(asked["model"]["path"]).iterdir():
        (broken / path.name).write_bytes(path.read_bytes())
    config = json.loads((broken / "config.json").read_text())
    (broken / "config.json").write_text(json.dumps(config | {"hidden_size": 2 * config["hidden_size"]}))
    thread.give(request=asked | {"model": {"path": str(broken)}})
    thread.answer(bench.decision(thread.question["launch_hash"]))
    record = bench.wait(thread.question["run_id"])
    out = thread.answer({"state": record.state})
    tried = Trials.model_validate(out["trials"])
    assert [result.status for result in tried.results] == ["failed", "failed"], tried
    assert (out["phase"], out["error"]["code"]) == ("failed", "trials_failed")
    assert tried.winner is None
    assert "exited with" in str(tried.results[0].reason)
    assert out.get("diagnosis") is None
