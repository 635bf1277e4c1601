"""A checkpoint of a real run becomes a Hugging Face folder, by the command line and a person's yes."""

import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
import torch.distributed.checkpoint as dcp
from transformers import AutoModelForCausalLM, AutoTokenizer

from contracts.approval import Approval
from contracts.canonical import seal
from contracts.recipe import Recipe
from contracts.request import Request
from contracts.run import TERMINAL_STATES
from runners import Home, LocalRunner, prepare_launch

pytestmark = pytest.mark.train

CLI = str(Path(sys.executable).parent / "fsdp-agent")
PATIENCE_S = 240


@pytest.fixture
def trained(tmp_path, llama, corpus):
    """A home and the id of a finished run with checkpoints of steps 2 and 4, and no export."""
    asked = {
        "intent": "run",
        "model": {"path": str(llama)},
        "data": {"train": str(corpus / "train.jsonl")},
        "hardware": {"ranks": 2, "device": "cpu"},
    }
    recipe = Recipe(steps=4, seq_len=40, lr=3e-3, param_dtype="fp32", checkpoint_every=2, export=False)
    home = Home(tmp_path / "home")
    launch = prepare_launch(Request.model_validate(asked), recipe, home).launch
    facts = {"launch_hash": launch.launch_hash, "decision": "approve", "approver": "tester", "via": "cli"}
    approval = Approval.model_validate(facts | {"decided_at": "2026-01-01T00:00:00Z"})
    sealed = approval.model_copy(update={"mac": seal(approval.model_dump(mode="json"), home.secret("approve"))})
    runner = LocalRunner(home)
    run_id = runner.submit(launch, sealed, "train").run_id
    deadline = time.monotonic() + PATIENCE_S
    while (record := runner.status(run_id)).state not in TERMINAL_STATES:
        assert time.monotonic() < deadline, record
        time.sleep(0.1)
    assert record.state == "done", record.reason
    return home, run_id


def at_a_terminal(answer, *words):
    """Run the command in a terminal of its own, answer its question; returns exit code and what it said."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([CLI, *words], stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
    os.close(theirs)
    said, answered, deadline = "", False, time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if select.select([ours], [], [], 0.2)[0]:
            try:
                said += os.read(ours, 65536).decode()
            except OSError:  # the other side is closed
                break
        if "Start it?" in said and not answered:
            os.write(ours, answer.encode() + b"\n")
            answered = True
    return process.wait(timeout=60), said


def test_the_folder_has_the_weights_of_that_step(trained, llama, corpus, tmp_path):
    home, run_id = trained
    target = tmp_path / "exported"
    words = ("jobs", "export", run_id, "--step", "2", "--to", str(target), "--home", str(home.root))
    nobody = subprocess.run([CLI, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
    assert nobody.returncode == 5  # nobody was there to be asked
    code, said = at_a_terminal("yes", *words)
    assert code == 0, said
    assert str(target) in said
    plain = AutoModelForCausalLM.from_pretrained(llama, dtype=torch.float32)
    state = {"model": plain.state_dict()}
    dcp.load(state, checkpoint_id=home.runs / run_id / "ckpt" / "step-00000002", no_dist=True)
    exported = AutoModelForCausalLM.from_pretrained(target).state_dict()
    start = AutoModelForCausalLM.from_pretrained(llama).state_dict()
    assert exported.keys() == state["model"].keys()
    for name, tensor in state["model"].items():
        assert torch.equal(exported[name], tensor), name
    assert any(not torch.equal(exported[name], start[name]) for name in start)
    text = json.loads((corpus / "train.jsonl").read_text().splitlines()[0])["prompt"]
    assert AutoTokenizer.from_pretrained(target)(text).input_ids
    again = subprocess.run([CLI, *words, "--json"], capture_output=True, text=True, timeout=120)
    assert again.returncode == 2
    assert "exists" in json.loads(again.stdout)["error"]["message"]
