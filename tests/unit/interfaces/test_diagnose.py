"""`fsdp-agent diagnose`: exit codes, standard input, and an answer that its schema holds for."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from interfaces.cli.main import run_command
from interfaces.cli.schemas import schema_of


def diagnosed(words: list[str], capsys: Any) -> tuple[int, dict[str, Any]]:
    """Run the command and return (exit code, answer)."""
    code = run_command(["diagnose", *words, "--json"])
    answer = json.loads(capsys.readouterr().out)
    if code != 2:
        jsonschema.validate(answer, schema_of("diagnose"))
    return code, answer


@pytest.mark.parametrize(
    ("text", "code", "verdict"),
    [
        ("ValueError: Cannot flatten integer dtype tensors", 0, "diagnosed"),
        ("RuntimeError: DataLoader worker (pid 9) is killed by signal: Bus error.", 0, "not_fsdp"),
        ("it does not work", 3, "unknown"),
    ],
)
def test_a_file_is_read_and_the_exit_code_says_what_came_of_it(
    text: str, code: int, verdict: str, tmp_path: Path, capsys: Any
) -> None:
    log = tmp_path / "rank0.log"
    log.write_text(f"step 1\n{text}\n")
    found, answer = diagnosed([str(log)], capsys)
    assert (found, answer["verdict"]) == (code, verdict)
    if code == 0:
        assert {"file": str(log), "line": 2, "text": text} in answer["causes"][0]["evidence"]
    else:
        assert len(answer["needed"]) == 3


def test_standard_input_is_read_to_its_end(capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    piped = io.TextIOWrapper(io.BytesIO(b"\xff\nRuntimeError: Cannot flatten integer dtype tensors\n"))
    monkeypatch.setattr(sys, "stdin", piped)
    code, answer = diagnosed(["-"], capsys)
    assert code == 0
    assert answer["causes"][0]["cause"] == "quantized-integer-params"
    assert answer["causes"][0]["evidence"][0]["file"] == "<stdin>"


def test_a_path_that_is_not_there_is_wrong_use(tmp_path: Path, capsys: Any) -> None:
    code, answer = diagnosed([str(tmp_path / "gone.log")], capsys)
    assert code == 2
    assert "gone.log" in answer["error"]["message"]


def test_a_version_that_is_none_is_wrong_use(tmp_path: Path, capsys: Any) -> None:
    log = tmp_path / "log"
    log.write_text("ValueError: Cannot flatten integer dtype tensors\n")
    code, answer = diagnosed([str(log), "--torch", "newest"], capsys)
    assert code == 2
    assert "newest" in answer["error"]["message"]


HANGS = Path(__file__).parents[1] / "engines" / "diagnosis" / "hangs"


def test_a_folder_of_dumps_is_told_with_its_hang(capsys: Any) -> None:
    code, answer = diagnosed([str(HANGS / "guard")], capsys)
    assert code == 0
    assert answer["hang"]["culprits"] == ["1"]
    assert answer["first_diverged"] == "1"
    assert {state["rank"] for state in answer["rank_states"]} == {"0", "1"}


def test_markdown_goes_to_stdout(capsys: Any) -> None:
    assert run_command(["diagnose", str(HANGS / "uneven"), "--format", "markdown"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("# Diagnosis\n")
    assert "uneven-batches-per-rank" in out


def test_the_code_that_was_given_counts(tmp_path: Path, capsys: Any) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        "import torch.distributed as dist\n"
        "from torch.distributed.fsdp import fully_shard\n"
        "from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict\n\n"
        "def main(model):\n"
        "    fully_shard(model)\n"
        "    if dist.get_rank() == 0:\n"
        "        state = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True))\n"
    )
    log = tmp_path / "log"
    log.write_text("[rank1]: step 400\nthe job hangs here, no error\n")
    assert diagnosed([str(log)], capsys)[0] == 3
    code, answer = diagnosed([str(log), "--code", str(script)], capsys)
    assert code == 0
    assert answer["causes"][0]["cause"] == "rank-conditional-collective"
    assert str(script) in {line["file"] for line in answer["causes"][0]["evidence"]}


def test_the_plan_that_was_given_counts(tmp_path: Path, capsys: Any) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"memory": {"reserved_gib": 95.0, "margin_gib": -16.0, "peak_phase": "backward"}}))
    log = tmp_path / "log"
    log.write_text("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n")
    _, answer = diagnosed([str(log), "--plan", str(plan)], capsys)
    assert answer["causes"][0]["cause"] == "memory-exceeds-gpu"
    assert "95.0 GiB" in answer["causes"][0]["evidence"][0]["text"]


@pytest.mark.parametrize("content", ["{", "[]", '{"memory": 5}'])
def test_what_is_no_plan_is_wrong_use(content: str, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "plan.json").write_text(content)
    (tmp_path / "log").write_text("CUDA out of memory\n")
    code, answer = diagnosed([str(tmp_path / "log"), "--plan", str(tmp_path / "plan.json")], capsys)
    assert code == 2
    assert "plan.json" in answer["error"]["message"]


def test_the_timeline_is_drawn(tmp_path: Path, capsys: Any) -> None:
    log = tmp_path / "log"
    log.write_text(
        "[rank0]: 2026-11-30 10:00:00 step 1\n[rank1]: 2026-11-30 10:00:01 step 1\n"
        "[rank1]: 2026-11-30 10:05:00 ERROR ValueError: x\n"
    )
    diagnosed([str(log), "--plot", str(tmp_path / "ranks.png")], capsys)
    assert (tmp_path / "ranks.png").read_bytes().startswith(b"\x89PNG")
    code, answer = diagnosed([str(log), "--plot", str(tmp_path / "none" / "ranks.png")], capsys)
    assert code == 2
    assert "ranks.png" in answer["error"]["message"]


def test_reading_for_a_diagnosis_imports_no_library_of_pictures(tmp_path: Path) -> None:
    import subprocess

    (tmp_path / "log").write_text("ValueError: Cannot flatten integer dtype tensors\n")
    script = (
        "import sys\nfrom interfaces.cli.main import run_command\n"
        f"run_command(['diagnose', {str(tmp_path / 'log')!r}, '--json'])\n"
        "print(sorted({'matplotlib', 'numpy', 'langgraph', 'torch'} & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120)
    assert done.stderr.strip().endswith("[]")
