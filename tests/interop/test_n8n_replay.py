"""The n8n workflows' own expressions and HTTP calls, replayed against a real server.

What n8n itself does with them is in test_n8n.py, which needs 2.4 GB.
"""

import json
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from tests.flows.conftest import make_bench
from tests.flows.servers import Served, served
from tests.interop.n8n_server import replay

pytestmark = [
    pytest.mark.interop,
    pytest.mark.server,
    pytest.mark.timeout(300),
    pytest.mark.skipif(shutil.which("node") is None, reason="the expressions are JavaScript: needs node"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("n8n")
    with served("plain", make_bench(folder), folder) as running:
        yield running


def ask(server: Served, **body: Any) -> dict[str, Any]:
    return replay(server, "questions.json", "ask the specialist", body)


def test_the_four_uses(server: Served) -> None:
    planned = ask(server, text="Full fine-tune of Llama-3-70B, seq 8192, on 16 H100 80GB")
    assert planned["operation"]["verdict"] == "use_fsdp"
    log = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."
    assert ask(server, operation="diagnose", input={"text": log})["operation"]["causes"]
    code = "import torch\nfrom torch.distributed.fsdp import fully_shard\n"
    code += "opt = torch.optim.AdamW(model.parameters())\nfully_shard(model)\n"
    found = ask(server, operation="review", input={"files": {"train.py": code}})["operation"]
    assert found["findings"][0]["rule"] == "FSDP001"
    assert ask(server, operation="ask", input={"question": "HSDP or full sharding?"})["operation"]["covered"] is True


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Which provider has the cheapest Llama endpoint?", "out_of_scope"),
        ("Byg et n8n workflow, der poster til Slack", "out_of_scope"),
        ("LoRA on a 7B model with one RTX 4090, do I need FSDP?", "not_needed"),
        ("We may train something large next year, no GPUs yet", "wait"),
    ],
)
def test_the_refusals(server: Served, text: str, verdict: str) -> None:
    outputs = ask(server, text=text)
    assert outputs["not for the specialist"]["verdict"] == verdict
    assert outputs["not for the specialist"]["instead"]
    assert "operation" not in outputs


def put_forward(server: Served, key: str, until: str = "answer the caller") -> dict[str, Any]:
    body = {"key": key, "request": server.bench.request}
    return replay(server, "run-with-approval.json", "start a run", body, until)


def decide(server: Served, answer: dict[str, Any], **said: Any) -> dict[str, Any]:
    body = {"launch_hash": answer["launch_hash"], "thread_id": answer["thread_id"], **said}
    return replay(server, "decide.json", "a person decides", body)["(last)"]


def test_a_run_with_approval_to_its_report(server: Served) -> None:
    answer = put_forward(server, "n8n")["(answer)"]
    assert answer["status"] == "needs_approval", answer
    assert answer["decide_at"] == f"{server.url}/fsdp/v1/launches/{answer['launch_hash']}/decision"
    assert "approve" in answer["approve_with"]
    assert decide(server, answer, decision="approve")["phase"] == "running"
    # the same key asks again where it stands, and goes on to the end
    outputs = put_forward(server, "n8n", until="")
    assert outputs["where it stands"]["phase"] == "done"
    assert answer["launch_hash"] in outputs["the report"]["report"]
    [run_id] = set(server.bench.starts)
    told = replay(server, "job-done.json", "a job has ended", {"run_id": run_id})
    assert told["the run"]["state"] == "done"
    assert told["(last)"] == {"run": told["the run"], "why": None}


def test_a_decision_at_the_servers_own_address_is_followed_all_the_same(server: Served) -> None:
    """The approver's token never passes n8n; the job may have ended before anybody looks."""
    answer = put_forward(server, "outside")["(answer)"]
    with server.http(server.token("approve")) as http:
        told = http.post(answer["decide_at"], json={"decision": "approve", "thread_id": answer["thread_id"]}).json()
    server.bench.wait(told["run_id"])
    assert put_forward(server, "outside", until="")["the report"]["ok"] is True


def test_what_was_not_taken_on_is_not_followed(server: Served) -> None:
    body = {"key": "bad", "request": {"intent": "run", "nonsense": 1}}
    outputs = replay(server, "run-with-approval.json", "start a run", body)
    assert outputs["(answer)"]["status"] == "refused"
    assert outputs["(answer)"]["error"]["code"] == "request_invalid"
    assert not {"decide_at", "approve_with"} & set(outputs["(answer)"])
    assert "where it stands" not in outputs


def test_words_alone_go_to_the_operation_that_they_ask_for(server: Served) -> None:
    assert ask(server, text="does FSDP2 need ShardedGradScaler?")["operation"]["covered"] is True
    assert ask(server, text="Hvorfor hænger min træning efter 200 trin på 16 GPU'er?")["operation"]["needed"]
    code = "import torch\nfrom torch.distributed.fsdp import fully_shard\n"
    code += "opt = torch.optim.AdamW(model.parameters())\nfully_shard(model)\n"
    found = ask(server, text="Review my training script with fully_shard", files={"train.py": code})["operation"]
    assert found["findings"][0]["rule"] == "FSDP001"
    # code was asked about, none was given: the answer says what is missing
    assert "files" in ask(server, text="Review my training script with fully_shard")["operation"]["error"]["message"]


ODD_OPERATIONS = ["runs", "launches/x/decision", "../v1/runs", "plan/../runs", "ask?x=", "", 7, None]


@pytest.mark.parametrize("operation", ODD_OPERATIONS)
def test_no_operation_leads_elsewhere(server: Served, operation: Any) -> None:
    body = {"key": "smuggled", "request": server.bench.request}
    outputs = ask(server, operation=operation, text="Train Llama-3-8B on 8 H100, seq 4096", input=body)
    # it is a plan that was asked for, and a plan takes no key and no request
    assert outputs["operation"]["error"]["code"] == "input_invalid"
    assert "seq_len" in outputs["operation"]["error"]["hint"]


def test_an_unknown_operation_is_none_at_all(server: Served) -> None:
    """The need gate is not passed by a made-up word, and what is asked about still decides."""
    assert ask(server, operation="foo", text="Byg et n8n workflow, der poster til Slack")["not for the specialist"]
    assert ask(server, operation="foo", text="does FSDP2 need ShardedGradScaler?")["operation"]["covered"] is True


@pytest.mark.parametrize("body", [{}, {"text": 5}, {"text": {"a": 1}}])
def test_what_the_gate_cannot_read_comes_back_as_an_error(server: Served, body: dict[str, Any]) -> None:
    answer = ask(server, **body)["(last)"]
    assert answer["ok"] is False
    assert answer["error"]["code"] == "input_invalid"


@pytest.mark.parametrize("run_id", ["../launches", "r-1/cancel", "r-000000000000", ".", "..", "?x=", 7, None])
def test_a_strange_run_id_finds_no_run(server: Served, run_id: Any) -> None:
    answer = replay(server, "job-done.json", "a job has ended", {"run_id": run_id})["(last)"]
    assert answer["run"]["error"]["code"] == ("unknown_run" if run_id == "r-000000000000" else "input_invalid")
    assert answer["why"] is None


def test_a_failed_job_comes_with_its_cause(server: Served) -> None:
    server.bench.switch("fail")
    try:
        answer = put_forward(server, "fails")["(answer)"]
        run_id = decide(server, answer, decision="approve")["run_id"]
        server.bench.wait(run_id)
    finally:
        server.bench.switch("fail", False)
    told = replay(server, "job-done.json", "a job has ended", {"run_id": run_id})
    assert told["the run"]["state"] == "failed"
    assert told["why"]["ok"] is True
    assert told["(last)"] == {"run": told["the run"], "why": told["why"]}
    assert "the data ran out" in json.dumps(told["why"])


@pytest.mark.parametrize("said", [{"decision": "reject"}, {}, {"decision": "edit"}, {"decision": ["approve"]}])
def test_anything_but_approve_rejects(server: Served, said: dict[str, Any]) -> None:
    before = list(server.bench.starts)
    answer = put_forward(server, f"no-{said}")["(answer)"]
    assert decide(server, answer, **said)["phase"] == "declined"
    assert server.bench.starts == before
    assert put_forward(server, f"no-{said}", until="")["where it stands"]["phase"] == "declined"


@pytest.mark.parametrize("launch_hash", ["../runs", "a" * 63, "a" * 64, "A" * 64, "?x=", "..", 7, None])
def test_a_strange_launch_is_not_decided(server: Served, launch_hash: Any) -> None:
    body = {"launch_hash": launch_hash, "decision": "approve"}
    answer = replay(server, "decide.json", "a person decides", body)["(last)"]
    assert answer["ok"] is False
    assert answer["error"]["code"] == ("unknown_launch" if launch_hash == "a" * 64 else "input_invalid")
