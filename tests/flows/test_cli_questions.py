"""assess, plan, estimate, review, ask and doctor: answers, exit codes, schemas."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

CLI = str(Path(sys.executable).parent / "fsdp-agent")
SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"
LLAMA = ("--model", "llama-3-8b", "--gpus", "8", "--seq-len", "8192")
PATIENCE_S = 120


def cli(*words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"COLUMNS": "200"}
    return subprocess.run([CLI, *words], capture_output=True, text=True, timeout=PATIENCE_S, env=environment)


def validated(text: str, schema: str) -> Any:
    value = json.loads(text)
    jsonschema.validate(value, json.loads((SCHEMAS / f"{schema}.schema.json").read_text()))
    return value


def answer(code: int, schema: str, *words: str) -> Any:
    """The one JSON object of a command that ends with this code, checked against its schema."""
    result = cli(*words, "--json")
    assert result.returncode == code, (result.stdout, result.stderr)
    return validated(result.stdout, schema)


def test_estimate_by_hand_arithmetic() -> None:
    found = answer(0, "estimate", "estimate", *LLAMA, "--gpu", "H100", "--activation-checkpointing", "full")
    # fp32 master weights 4 B and AdamW state 8 B for each of 8,030,261,248 parameters, over 8 ranks
    assert found["params"] == 8_030_261_248
    assert found["breakdown"]["parameters"] == pytest.approx(8_030_261_248 * 4 / 8 / 2**30, abs=0.001)
    assert found["breakdown"]["optimizer_state"] == pytest.approx(8_030_261_248 * 8 / 8 / 2**30, abs=0.001)
    assert found["fits"] is True
    assert found["margin_gib"] == pytest.approx(
        found["capacity_gib"] - found["reserved_gib"] - found["overhead_gib"], abs=0.01
    )


def test_estimate_that_does_not_fit_is_bad_news() -> None:
    assert answer(1, "estimate", "estimate", *LLAMA, "--gpu", "T4")["fits"] is False
    text = cli("estimate", *LLAMA, "--gpu", "T4")
    assert text.returncode == 1
    assert "does not fit" in text.stdout
    assert "optimizer_state" in text.stdout


def test_estimate_takes_any_setting_of_the_memory_model() -> None:
    plain = answer(0, "estimate", "estimate", *LLAMA)
    offloaded = answer(0, "estimate", "estimate", *LLAMA, "--set", "cpu_offload=true")
    assert offloaded["reserved_gib"] < plain["reserved_gib"]
    assert plain["fits"] is None  # no GPU was named


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("estimate",), 2, "--model"),
        (("estimate", "--model", "llama-3-8b", "--seq-len", "8"), 3, "--gpus"),
        (("estimate", "--model", "no-such-model-9b", "--gpus", "8", "--seq-len", "8"), 3, "no-such-model-9b"),
        (("estimate", *LLAMA, "--gpu", "abacus"), 3, "abacus"),
        (("estimate", *LLAMA, "--set", "tq=2"), 2, "tq"),
        (("estimate", *LLAMA, "--set", "tp"), 2, "name=value"),
        (("estimate", *LLAMA, "--set", "tp=3"), 2, "3"),
        (("estimate", *LLAMA, "--precision", "fp7"), 2, "fp7"),
        (("estimate", "--model", "llama-3-8b", "--gpus", "0", "--seq-len", "8"), 2, "--gpus"),
        (("plan",), 2, "--request"),
        (("plan", *LLAMA, "--request", "x.yaml"), 2, "either"),
        (("plan", "--model", "llama-3-8b", "--gpu", "H100"), 3, "ranks"),
        (("plan", "--model", "llama-3-8b", "--gpus", "-8"), 2, "(given: '-8')"),
        (("estimate", "--seq-len=many"), 2, "(given: 'many')"),
        (("plan", "--request", "no/such/request.yaml"), 2, "no/such/request.yaml"),
        (("assess",), 2, "TEXT"),
        (("assess", " "), 2, "empty"),
        (("assess", "text", "--request", "x.yaml"), 2, "either"),
        (("review", "no/such/script.py"), 2, "no/such/script.py"),
    ],
)
def test_wrong_use_is_one_clear_message(words: tuple[str, ...], code: int, said: str) -> None:
    error = answer(code, "error", *words)["error"]
    assert said in error["message"] + error.get("hint", "")
    assert error["code"] != "internal"


ROW = {
    "model": "Llama-3-8B",
    "hidden": 4096,
    "layers": 32,
    "heads": 32,
    "kv_heads": 8,
    "head_dim": 128,
    "ffn": 14336,
    "vocab": 128256,
    "tied": False,
    "gpus": 8,
    "local_batch": 1,
    "seq_len": 8192,
    "mesh": {"dp_shard": 8},
    "framework": "torchtitan FSDP2",
    "optimizer": "AdamW foreach (fp32 states)",
    "ac": "full",
}


def test_estimate_of_recorded_runs_is_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    rows = [ROW | {"id": "a", "measured": {"reserved_gib": 40.0}}, ROW | {"id": "b"}, {"id": "c", "layers": -1}]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n\n")
    result = cli("estimate", "--runs", str(path))
    assert result.returncode == 0, result.stderr
    lines = [validated(line, "estimate-runs") for line in result.stdout.splitlines()]
    assert [line.get("id", line.get("kind")) for line in lines] == ["a", "b", "c", "summary"]
    first = lines[0]
    assert first["error_pct"]["reserved_gib"] == pytest.approx((first["reserved_gib"] / 40.0 - 1) * 100, abs=0.01)
    assert "error_pct" not in lines[1]
    assert lines[2]["reserved_gib"] is None
    assert lines[2]["unsupported"]
    assert (lines[3]["rows"], lines[3]["compared"]) == (3, 1)


@pytest.mark.parametrize(
    ("content", "said"),
    [(b'{"id": 1}\n{"id": \n', "line 2 is no JSON"), (b"[1]\n", "holds a list"), (b"\xff\xfe\n", "line 1 is no JSON")],
)
def test_a_broken_line_stops_before_the_first_answer(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(content)
    result = cli("estimate", "--runs", str(path))
    assert result.returncode == 2
    assert result.stdout == ""
    assert said in result.stderr


def test_plan_gives_reasons() -> None:
    plan = answer(0, "plan", "plan", *LLAMA, "--gpu", "H100")
    assert (plan["verdict"], plan["fits"], plan["world_size"]) == ("use_fsdp", True, 8)
    assert plan["config"]["seq_len"] == 8192
    assert plan["memory"]["breakdown"]
    assert all(decision["because"] for decision in plan["decisions"])
    assert plan["launch"] is None  # nothing can be started by planning
    text = cli("plan", *LLAMA, "--gpu", "H100")
    assert "reshard_after_forward" in text.stdout
    assert answer(1, "plan", "plan", *LLAMA, "--gpu", "T4")["fits"] is False


def test_assess_says_yes_and_no() -> None:
    yes = answer(0, "assess", "assess", "full fine-tune of Llama-3-8B, seq 8192, on 8 H100 80GB, micro-batch 1")
    assert (yes["intent"], yes["verdict"]) == ("plan", "use_fsdp")
    no = answer(1, "assess", "assess", "My n8n workflow should send me an e-mail when a form is filled in")
    assert no["verdict"] == "out_of_scope"
    assert no["instead"]
    assert no["instead"] in cli("assess", "My n8n workflow should send me an e-mail when a form is filled in").stdout


@pytest.mark.parametrize("words", ["Do we need FSDP for this?", "Har vi brug for FSDP?"])
def test_a_verdict_for_which_nothing_is_known_is_no_bad_news(words: str) -> None:
    assert answer(3, "assess", "assess", words)["reasons"][0]["code"] == "insufficient_information"


@pytest.mark.parametrize("words", ["on 8 H100 80GB", "on 2 T4"])
def test_what_sharding_alone_does_not_fit_is_bad_news(words: str) -> None:
    # 405e9 parameters x 16 bytes are 6480 GB; 8 x 80 GB and 2 x 16 GB are less
    text = f"full fine-tune of Llama-3-405B, seq 8192, micro-batch 1, {words}"
    found = answer(1, "assess", "assess", text)
    assert found["verdict"] == "use_fsdp"
    assert "needs_more_than_fsdp" in {reason["code"] for reason in found["reasons"]}
    assert "does not fit" in cli("assess", text).stdout.splitlines()[0]


FAULTY = """
import torch
from torch.distributed.fsdp import fully_shard
model = torch.nn.Sequential(torch.nn.Linear(4, 4))
optimizer = torch.optim.AdamW(model.parameters())
for layer in model:
    fully_shard(layer)
fully_shard(model)
"""


def test_review_names_the_line(tmp_path: Path) -> None:
    faulty = tmp_path / "train.py"
    faulty.write_text(FAULTY)
    (found,) = [f for f in answer(1, "review", "review", str(faulty))["findings"] if f["severity"] == "error"]
    assert (found["rule"], found["file"], found["line"]) == ("FSDP001", str(faulty), 5)
    text = cli("review", str(faulty))
    assert f"{faulty}:5:" in text.stdout
    faulty.write_text("print('nothing of FSDP')\n")
    assert answer(0, "review", "review", str(faulty))["findings"] == []
    assert cli("review", str(faulty)).stdout.splitlines()[-1] == "1 file, 0 findings"


def test_review_of_a_file_that_cannot_be_read_proves_nothing(tmp_path: Path) -> None:
    broken, faulty = tmp_path / "broken.py", tmp_path / "train.py"
    broken.write_text("def f(:\n")
    assert answer(2, "review", "review", str(broken))["unreadable"]
    text = cli("review", str(broken))
    assert f"not read: {broken}" in text.stdout
    assert text.stdout.splitlines()[-1] == "0 files, 0 findings, 1 not read"
    faulty.write_text(FAULTY)
    assert answer(1, "review", "review", str(tmp_path))["unreadable"]  # an error weighs more


def test_ask_answers_with_citations_or_says_not_covered() -> None:
    covered = answer(0, "ask", "ask", "Must the optimizer be made before or after fully_shard?")
    assert covered["covered"]
    assert covered["citations"]
    outside = answer(3, "ask", "ask", "How do I bake sourdough bread?")
    assert (outside["covered"], outside["citations"]) == (False, [])
    assert "not covered" in outside["answer"].lower()


def test_doctor_answers_in_both_forms(tmp_path: Path) -> None:
    found = answer(0, "doctor", "doctor", "--home", str(tmp_path))
    assert found["ready"]
    assert {"torch", "gpus", "nccl", "gloo", "cores", "memory", "shared_memory", "disk", "open_files"} <= {
        check["name"] for check in found["checks"]
    }
    bad = cli("doctor", "--home", str(tmp_path), "--interpreter", str(tmp_path / "none"))
    assert bad.returncode == 1
    assert "not ready" in bad.stdout


def test_no_command_shows_the_help_and_the_version_is_told() -> None:
    assert "Usage" in cli().stdout
    assert cli().returncode == 0
    said = cli("--version").stdout
    assert said.startswith("fsdp-agent ")
    as_json = cli("--version", "--json")
    assert as_json.returncode == 0
    assert f"fsdp-agent {json.loads(as_json.stdout)['version']}\n" == said
    alone = cli("--json")
    assert alone.returncode == 2
    assert json.loads(alone.stdout)["error"]["code"] == "usage"


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("words", ["kb list", "kb list --json", "estimate --model llama-3-8b --gpus 8 --seq-len 512"])
def test_a_closed_stream_is_no_error(words: str, closed: str) -> None:
    result = subprocess.run(
        ["bash", "-c", f'"$0" {words} {closed}', CLI], capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert (result.returncode, result.stderr) == (0, "")


def test_a_table_in_a_pipe_is_narrow_and_has_no_trailing_blanks() -> None:
    shown = cli("plan", *LLAMA, "--gpu", "H100").stdout
    table = shown[shown.index("memory at the peak") : shown.index("by hand")].splitlines()
    assert len(table) > 3
    assert all(line == line.rstrip() and len(line) <= 100 for line in table)
    lines = shown.splitlines()
    heading = next(at for at, line in enumerate(lines) if line.split() == ["decision", "because"])
    decisions = lines[heading : lines.index("", heading)]
    assert len(decisions) > 3
    assert all(line == line.rstrip() and len(line) <= 100 for line in decisions)
