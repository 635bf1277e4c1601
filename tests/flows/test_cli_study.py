"""`ask --study` for programs: one JSON object, its schema, the exit codes; plain `ask` stays what it was."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import yaml

CLI = str(Path(sys.executable).parent / "fsdp-agent")
SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"
QUESTION = "HSDP or full shard for our 70B on 4 nodes over RoCE, and what does 128k context change?"
MACHINE = ("--model", "Llama-3-70B", "--gpus", "32", "--gpu", "H100", "--no-dry-run")


def cli(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(home), "FSDP_AGENT_HOME": str(home / "agent"), "COLUMNS": "200"}
    return subprocess.run([CLI, *arguments], capture_output=True, text=True, timeout=300, env=environment)


def answer(home: Path, code: int, *arguments: str) -> Any:
    done = cli(home, "ask", "--study", *arguments, "--json")
    assert done.returncode == code, (done.stdout, done.stderr)
    value = json.loads(done.stdout)
    schema = "error" if code == 3 else "ask-study"
    jsonschema.validate(value, json.loads((SCHEMAS / f"{schema}.schema.json").read_text()))
    return value


def test_a_study_is_one_json_object_and_progress_goes_to_stderr(tmp_path: Path) -> None:
    done = cli(tmp_path, "ask", "--study", QUESTION, *MACHINE, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    jsonschema.validate(found, json.loads((SCHEMAS / "ask-study.schema.json").read_text()))
    assert (found["phase"], found["study"]["choice"]) == ("done", "full sharding")
    assert (found["launch"], found["launch_hash"]) == (None, None)
    assert Path(found["report"]["path"]).is_file()
    assert Path(found["report"]["pictures"][0]).read_bytes().startswith(b"\x89PNG")
    assert "estimating 6 configurations" in done.stderr


def test_what_is_missing_is_an_error_with_exit_code_3(tmp_path: Path) -> None:
    assert answer(tmp_path, 3, QUESTION)["error"]["code"] == "study_inputs_missing"


def test_trials_wait_with_exit_code_4_and_their_launch(tmp_path: Path, bench: Any) -> None:
    kept = {name: bench.request[name] for name in ("model", "data", "interpreter")}
    file = tmp_path / "job.yaml"
    file.write_text(yaml.safe_dump(kept | {"hardware": {"device": "cpu", "ranks": 2}, "recipe": {"seq_len": 16}}))
    found = answer(tmp_path, 4, "Is reshard_after_forward=False worth it on this machine?", "--request", str(file))
    assert found["phase"] == "awaiting_approval"
    assert len(found["launch"]["launches"]) == 4
    assert found["report"] is None
    assert [part["status"] for part in found["study"]["parts"] if part["kind"] == "trial"] == ["waiting"] * 4


def test_options_of_a_study_without_study_are_wrong_use(tmp_path: Path) -> None:
    done = cli(tmp_path, "ask", QUESTION, "--gpus", "32")
    assert done.returncode == 2
    assert "--study" in done.stderr


def test_plain_ask_answers_from_the_cards_and_points_at_the_study(tmp_path: Path) -> None:
    done = cli(tmp_path, "ask", QUESTION)
    assert done.returncode == 0
    assert "[hsdp-or-full-sharding]" in done.stdout
    assert "`fsdp-agent ask --study` estimates and compares them" in done.stdout
    assert not (tmp_path / "agent").exists()
    assert "--study" not in cli(tmp_path, "ask", "Does FSDP2 need ShardedGradScaler?").stdout


def test_what_is_no_case_for_a_study_is_told_why(tmp_path: Path) -> None:
    for question in ("🚀", "x"):
        done = cli(tmp_path, "ask", "--study", question)
        assert done.returncode == 1
        assert "nothing to do with distributed training" in done.stdout + done.stderr
