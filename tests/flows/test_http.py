"""The HTTP door with a real server behind it: who is let in, a job from question to report, what is refused."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from runners import hint_signature
from tests.flows.servers import KINDS, Served, free_port, served

pytestmark = [pytest.mark.server, pytest.mark.timeout(600)]

PATIENCE_S = 120
FSDP_AGENT = str(Path(sys.executable).with_name("fsdp-agent"))


@pytest.fixture(scope="module", params=KINDS)
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, bench_in: Callable[[Path], Any]
) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "logs").mkdir()
    with served(request.param, bench_in(folder), folder) as running:
        yield running


def until(look: Callable[[], Any]) -> Any:
    limit = time.monotonic() + PATIENCE_S
    while not (seen := look()):
        assert time.monotonic() < limit, "waited too long"
        time.sleep(0.2)
    return seen


def waiting(server: Served, key: str, token: str = "") -> dict[str, Any]:
    """A thread that waits for approval."""
    with server.http(token) as http:
        answer = http.post("/fsdp/v1/runs", json={"key": key, "request": server.bench.request})
    assert answer.status_code == 200, answer.text
    stand: dict[str, Any] = answer.json()
    assert stand["status"] == "needs_approval"
    return stand


def decide(server: Served, stand: dict[str, Any], decision: str = "approve", token: str = "") -> httpx.Response:
    said = {"decision": decision, "thread_id": stand["thread_id"]}
    with server.http(token or server.token("approve")) as http:
        return http.post(f"/fsdp/v1/launches/{stand['launch_hash']}/decision", json=said)


def test_from_a_request_to_the_report(server: Served) -> None:
    stand = waiting(server, "whole")
    assert waiting(server, "whole")["thread_id"] == stand["thread_id"]
    assert stand["launch"]["argv"]
    running = decide(server, stand).json()
    assert running["ok"] is True
    run_id = running["run_id"]
    with server.http() as http:
        # nobody asks the thread to go on: the runner's own hint does
        report = until(
            lambda: (
                found
                if (found := http.get(f"/fsdp/v1/threads/{stand['thread_id']}/report")).status_code == 200
                else None
            )
        )
        assert stand["launch_hash"] in report.json()["report"]
        thread = http.get(f"/fsdp/v1/threads/{stand['thread_id']}").json()
        assert (thread["phase"], thread["run_id"]) == ("done", run_id)
        run = http.get(f"/fsdp/v1/runs/{run_id}").json()
        assert (run["state"], run["step"], run["loss"]) == ("done", 4, 2.0)
        events = http.get(f"/fsdp/v1/runs/{run_id}/events").json()["events"]
        assert [event["loss"] for event in events if event["kind"] == "step"] == [8.0, 4.0, 8.0 / 3, 2.0]
        assert run_id in {found["run_id"] for found in http.get("/fsdp/v1/runs").json()["runs"]}
        picture = http.get(f"/fsdp/v1/threads/{stand['thread_id']}/files/loss.png")
        assert picture.content.startswith(b"\x89PNG")
        assert "default-src 'none'" in picture.headers["content-security-policy"]
        for name in ("../../secrets/approve.key", "..%2f..%2fsecrets%2fapprove.key", "report.pdf", "x.png"):
            assert http.get(f"/fsdp/v1/threads/{stand['thread_id']}/files/{name}").status_code == 404
    assert server.bench.starts.count(run_id) == 1
    told = until(lambda: (server.folder / "told").exists() and (server.folder / "told").read_text())
    assert run_id in {json.loads(line)["run_id"] for line in told.splitlines()}


def test_the_questions(server: Served) -> None:
    with server.http() as http:
        need = http.post("/fsdp/v1/assess", json={"text": "Pick the cheapest hosted LLM for our chatbot"}).json()
        assert need["verdict"] == "out_of_scope"
        assert http.post("/fsdp/v1/ask", json={"question": "does FSDP2 need ShardedGradScaler?"}).json()["covered"]
        plan = http.post("/fsdp/v1/plan", json={"model": "Llama-3-8B", "gpus": 8, "gpu": "H100", "seq_len": 4096})
        assert plan.json()["fits"] is True
        log = server.folder / "logs" / "rank0.log"
        log.write_text("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n")
        assert http.post("/fsdp/v1/diagnose", json={"paths": [str(log)]}).json()["causes"]


def test_every_route_wants_a_token(server: Served) -> None:
    """The list of routes is read from the running server."""
    with server.http() as http:
        routes = http.get("/openapi.json").json()["paths"] if server.kind == "langgraph" else {}
    known = {path: list(methods) for path, methods in routes.items()}
    known |= {f"/fsdp/v1/{name}": ["post"] for name in ("assess", "plan", "review", "diagnose", "ask", "runs")}
    known |= {"/fsdp/v1/runs/r-0123456789ab": ["get"], "/fsdp/mcp": ["post", "get", "delete"], "/nowhere": ["get"]}
    known |= {"/fsdp/v1/job-done": ["post"], "/docs": ["get"], "/info": ["get"], "/openapi.json": ["get"]}
    assert len(known) > 10
    with server.http(None) as stranger, server.http("0" * 64) as wrong:
        for path, methods in known.items():
            filled = path.replace("{", "").replace("}", "")
            for method in set(methods) & {"get", "post", "put", "patch", "delete"}:
                for http in (stranger, wrong):
                    answer = http.request(method, filled, json={} if method != "get" else None)
                    if path in ("/ok", "/fsdp/health"):
                        assert answer.status_code == 200
                    else:
                        assert answer.status_code == 401, (method, path, answer.text)
                        assert answer.json()["error"]["code"] in ("token_needed", "signature_needed")


def test_what_is_refused(server: Served, tmp_path: Path) -> None:
    stand = waiting(server, "refusals")
    before = list(server.bench.starts)
    assert decide(server, stand, token=server.token()).status_code == 403
    with server.http(Origin="https://evil.example") as http:
        assert http.post("/fsdp/v1/ask", json={"question": "x"}).status_code == 403
    with server.http(Host="evil.example") as http:
        assert http.post("/fsdp/v1/ask", json={"question": "x"}).status_code == 403
    with server.http() as http:
        outside = http.post("/fsdp/v1/diagnose", json={"paths": ["/etc/hostname"]})
        assert (outside.status_code, outside.json()["error"]["code"]) == (403, "path_outside_roots")
        assert http.post("/fsdp/v1/runs", content=b"{").status_code == 422
        assert http.post("/fsdp/v1/ask", content=b"x" * (5 << 20)).status_code == 413
        assert http.get("/fsdp/v1/runs/r-0123456789ab").status_code == 404
        assert http.get("/fsdp/v1/runs/..%2f..").status_code in (404, 422)
        foreign = server.bench.request | {"interpreter": "/usr/bin/python3"}
        refused = http.post("/fsdp/v1/runs", json={"key": "foreign", "request": foreign})
        assert refused.json()["error"]["code"] == "interpreter_not_allowed"
    edited = {"decision": "edit"}
    with server.http(server.token("approve")) as http:
        assert http.post(f"/fsdp/v1/launches/{stand['launch_hash']}/decision", json=edited).status_code == 422
        assert http.post(f"/fsdp/v1/launches/{'a' * 64}/decision", json={"decision": "approve"}).status_code == 404
    assert server.bench.starts == before


def resident_mib(server: Served) -> float:
    """The largest resident size so far of the server's processes."""
    assert server.process is not None
    found = 0
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            text = status.read_text()
            group = int(Path(f"/proc/{status.parent.name}/stat").read_text().rpartition(")")[2].split()[2])
        except (OSError, ValueError, IndexError):
            continue
        if group == server.process.pid and "VmHWM" in text:
            found = max(found, int(text.split("VmHWM:")[1].split()[0]))
    return found / 1024


def test_a_body_without_end_is_not_kept(server: Served) -> None:
    def chunks() -> Iterator[bytes]:
        yield from (b"x" * (1 << 20) for _ in range(256))

    before = resident_mib(server)
    for path, token in (("/fsdp/v1/job-done", None), ("/fsdp/v1/ask", ""), ("/fsdp/mcp", "")):
        with server.http(token) as http:
            try:
                assert http.post(path, content=chunks()).status_code >= 400
            except httpx.TransportError:
                continue  # it hung up, which is as good
    assert resident_mib(server) < before + 100


def test_one_key_is_for_one_request(server: Served) -> None:
    waiting(server, "same")
    other = server.bench.request | {"recipe": {"steps": 9, "seq_len": 16}}
    with server.http() as http:
        answer = http.post("/fsdp/v1/runs", json={"key": "same", "request": other})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "key_conflict")


def test_an_approver_sees_all_of_a_launch(server: Served) -> None:
    passed = server.bench.request | {"env_passed": ["AWS_SECRET_ACCESS_KEY"]}
    with server.http() as http:
        thread_id = http.post("/fsdp/v1/runs", json={"key": "whole-launch", "request": passed}).json()["thread_id"]

    def whole(http: httpx.Client, part: str) -> Any:
        """All pages of a part, put together."""
        found, offset = None, 0
        while True:
            page = http.get(f"/fsdp/v1/threads/{thread_id}", params={"part": part, "offset": offset}).json()
            found = page[part] if found is None else found + page[part]
            if "next_offset" not in page:
                return found
            offset = page["next_offset"]

    with server.http(server.token("approve")) as http:
        assert json.loads(whole(http, "launch"))["env_passed"] == ["AWS_SECRET_ACCESS_KEY"]
        roles = {entry["role"] for entry in whole(http, "inputs")}
    assert roles >= {"interpreter", "model", "data", "script", "config"}


def test_a_forged_or_repeated_callback_moves_nothing(server: Served) -> None:
    stand = waiting(server, "callback")
    server.bench.switch("hold")
    run_id = decide(server, stand).json()["run_id"]
    body = json.dumps({"run_id": run_id, "state": "done"}).encode()
    good = hint_signature(server.bench.home, run_id, body)
    with server.http(None) as http:
        for signature in ("", "0" * 64, hint_signature(server.bench.home, "r-0123456789ab", body)):
            answer = http.post("/fsdp/v1/job-done", content=body, headers={"X-FSDP-Signature": signature})
            assert answer.status_code == 401
        # rightly signed, but the run folder says otherwise
        early = http.post("/fsdp/v1/job-done", content=body, headers={"X-FSDP-Signature": good})
        assert early.status_code == 409
        server.bench.switch("hold", False)
        server.bench.wait(run_id)
        for _ in range(2):
            again = http.post("/fsdp/v1/job-done", content=body, headers={"X-FSDP-Signature": good})
            assert (again.status_code, again.json()["phase"]) == (202, "done")
    assert server.bench.starts.count(run_id) == 1


def test_another_owners_thread_and_run_do_not_exist(server: Served) -> None:
    from graph.callers import Tokens

    other = Tokens(server.bench.home).add(f"team-{server.kind}", "submit")
    stand = waiting(server, "mine")
    run_id = decide(server, stand).json()["run_id"]
    server.bench.wait(run_id)
    with server.http(other) as http:
        for path in (f"threads/{stand['thread_id']}", f"runs/{run_id}", f"runs/{run_id}/logs", f"runs/{run_id}/events"):
            assert http.get(f"/fsdp/v1/{path}").status_code == 404
        assert http.get(f"/fsdp/v1/threads/{stand['thread_id']}/files/report.md").status_code == 404
        assert http.post(f"/fsdp/v1/runs/{run_id}/cancel").status_code == 404
        assert http.post("/fsdp/v1/diagnose", json={"run_id": run_id}).status_code == 404
        assert http.get("/fsdp/v1/runs").json()["runs"] == []
    assert waiting(server, "mine", other)["thread_id"] != stand["thread_id"]
    with server.http(server.token("approve")) as http:
        assert http.get(f"/fsdp/v1/runs/{run_id}").status_code == 200


def test_an_edited_script_and_a_replayed_decision_start_nothing(server: Served) -> None:
    stand = waiting(server, "edited")
    config = next(Path(word) for word in stand["launch"]["argv"] if word.endswith("config.json"))
    whole = config.read_text()
    config.chmod(0o600)
    config.write_text(whole.replace('"steps": 4', '"steps": 9'))
    before = list(server.bench.starts)
    told = decide(server, stand).json()
    assert told["phase"] == "failed"
    config.write_text(whole)
    assert decide(server, stand).json()["phase"] == "failed"
    assert server.bench.starts == before
    rejected = waiting(server, "rejected")
    assert decide(server, rejected, "reject").json()["phase"] == "declined"
    assert decide(server, rejected).status_code == 403
    assert server.bench.starts == before


def test_a_second_server_of_one_home_is_refused_and_moves_nothing(server: Served, tmp_path: Path) -> None:
    told = server.bench.home.callback.read_bytes()
    for port in (free_port(), server.port):
        call = [FSDP_AGENT, "serve", "--plain", "--port", str(port), "--home", str(server.bench.home.root)]
        done = subprocess.run(call, capture_output=True, text=True, timeout=PATIENCE_S)
        assert done.returncode == 2, done.stderr
        assert f"already serves {server.bench.home.root}, at {server.url}" in done.stderr
    # another home at a port that is taken: refused too, before its runs are told of it
    call = [FSDP_AGENT, "serve", "--plain", "--port", str(server.port), "--home", str(tmp_path / "other")]
    done = subprocess.run(call, capture_output=True, text=True, timeout=PATIENCE_S)
    assert (done.returncode, "cannot listen" in done.stderr) == (2, True)
    assert not (tmp_path / "other" / "callback.json").exists()
    assert server.bench.home.callback.read_bytes() == told


@pytest.mark.parametrize("held", [True, False], ids=["running-job", "pending-approval"])
def test_kill_9_of_the_server_loses_and_repeats_nothing(server: Served, held: bool) -> None:
    stand = waiting(server, f"killed-{held}")
    run_id = ""
    if held:
        server.bench.switch("hold")
        run_id = decide(server, stand).json()["run_id"]
        until(lambda: run_id in server.bench.starts)
    server.kill()
    server.start()
    again = waiting(server, f"killed-{held}") if not held else None
    if again:
        assert again["launch_hash"] == stand["launch_hash"]
        run_id = decide(server, stand).json()["run_id"]
    server.bench.switch("hold", False)
    server.bench.wait(run_id)
    with server.http() as http:
        until(lambda: http.get(f"/fsdp/v1/threads/{stand['thread_id']}").json()["phase"] == "done")
    assert server.bench.starts.count(run_id) == 1


def test_a_study_over_http(server: Served) -> None:
    question = "Is LoRA or full fine-tuning of Llama-3-8B the better choice on 8 A100 80GB?"
    with server.http() as http:
        given = {"question": question, "study": True, "request": {"dry_runs": False}}
        found = http.post("/fsdp/v1/ask", json=given).json()
        place = f"/fsdp/v1/threads/{found['thread_id']}"
        done = until(lambda: seen if (seen := http.get(place).json())["status"] != "answering" else None)
        assert (done["status"], done["ok"]) == ("done", True)
        assert done["conclusion"][0]["text"]
        assert question in http.get(f"{place}/report").json()["report"]
        refused = http.post("/fsdp/v1/ask", json=given | {"request": {"model": {"path": "/etc"}}})
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "path_outside_roots")
    with server.http(None) as http:
        assert http.post("/fsdp/v1/ask", json=given).status_code == 401
