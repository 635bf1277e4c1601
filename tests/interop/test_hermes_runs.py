"""Runs behind the real Hermes: who approves, what is refused, and what outlives a Hermes that dies or hangs."""

import json
import os
import signal
from typing import Any

import psutil
import pytest

from interfaces.cli.hermes import DENY
from tests.interop.hermes_desk import (
    DONE,
    FSDP_AGENT,
    NEEDS_HERMES,
    PATIENCE_S,
    Desk,
    Gateway,
    answers,
    gateway,
    tool,
    turn,
    until,
)
from tests.interop.stub_model import model

pytestmark = NEEDS_HERMES


def start(desk: Desk) -> dict[str, Any]:
    return tool("start_run", key="k", request=desk.bench.request)


def home(desk: Desk) -> tuple[str, str]:
    return ("--home", str(desk.bench.home.root))


def test_a_run_is_started_by_a_person_alone_and_followed_to_its_report(desk: Desk) -> None:
    stand = answers(turn(desk, start(desk), DONE))[0]
    assert stand["status"] == "needs_approval"
    assert desk.bench.starts == []
    approve = ("approve", stand["launch_hash"], *home(desk), "--json")
    desk.bench.switch("hold")
    run_id = json.loads(desk.agent(*approve).stdout)["run_id"]
    # whole turns come and go, each with a server of its own; the job goes on
    status = answers(turn(desk, tool("status", id=stand["thread_id"]), DONE))[0]
    assert status["phase"] == "running"
    desk.bench.switch("hold", False)
    assert desk.bench.wait(run_id).state == "done"
    # the agent's terminal knows neither this home folder nor, perhaps, the program: the answer named both
    followed = turn(desk, {"tool": "terminal", "args": {"command": status["follow_with"]}}, DONE).results()
    assert json.loads(followed[0])["exit_code"] == 0, followed
    report = answers(turn(desk, tool("read", id=stand["thread_id"], what="report"), DONE))[0]
    assert stand["launch_hash"] in report["report"]
    assert desk.bench.starts == [run_id]


def test_a_person_approves_through_the_api_server(desk: Desk) -> None:
    desk.elicitation = True
    with gateway(desk, start(desk), DONE) as (server, script):
        asked = server.asked(turn_id := server.ask("Start my training."))
        # the whole launch is shown, to its hash, and nothing has begun
        assert "torch.distributed.run" in asked["command"]
        launch_hash = asked["command"].rsplit("hash: ", 1)[1]
        assert server.stands(turn_id)["status"] == "waiting_for_approval"
        assert desk.bench.starts == []
        assert server.answer(turn_id, "once", key="somebody-elses-key-0123456789").status_code == 401
        assert server.answer(turn_id, "perhaps").status_code == 400
        assert server.stands(turn_id)["status"] == "waiting_for_approval"
        assert desk.bench.starts == []
        assert server.answer(turn_id, "once").status_code == 200
        assert server.finish(turn_id)["status"] == "completed"
        stand = answers(script)[0]
    assert (stand["phase"], stand["launch_hash"]) == ("running", launch_hash)
    assert desk.bench.wait(stand["run_id"]).state == "done"
    assert desk.bench.starts == [stand["run_id"]]
    approval = json.loads((desk.bench.home.runs / stand["run_id"] / "approval.json").read_text())
    assert (approval["via"], approval["launch_hash"]) == ("elicitation", launch_hash)


def test_a_denied_launch_stays_where_it_is(desk: Desk) -> None:
    desk.elicitation = True
    with gateway(desk, start(desk), tool("start_run", key="k", request=desk.bench.request), DONE) as (server, script):
        server.asked(turn_id := server.ask("Start my training."))
        assert server.answer(turn_id, "deny").status_code == 200
        # the model tries again with the same key: the person is asked again, and says no again
        until("a second question", lambda: server.answer(turn_id, "deny").status_code == 200)
        server.finish(turn_id)
        first, second = answers(script)
    assert first["status"] == second["status"] == "needs_approval"
    assert "did not accept" in first["note"]
    assert first["launch_hash"] == second["launch_hash"]
    assert desk.bench.starts == []
    # it was not rejected for good: the person may still decide, in a terminal
    decided = desk.agent("approve", first["launch_hash"], *home(desk), "--json")
    assert decided.returncode == 0, decided.stdout
    assert desk.bench.wait(json.loads(decided.stdout)["run_id"]).state == "done"


def test_nobody_is_asked_unless_the_owner_allows_it(desk: Desk) -> None:
    with gateway(desk, start(desk), DONE) as (server, script):
        turn_id = server.ask("Start my training.")
        assert server.finish(turn_id)["status"] == "completed"
        # nothing is pending that this API could approve
        assert server.answer(turn_id, "once").status_code == 409
        [stand] = answers(script)
        assert stand.get("status") == "needs_approval", stand
    assert desk.bench.starts == []


def test_hermes_with_its_questions_switched_off_does_not_answer_for_the_person(desk: Desk) -> None:
    desk.elicitation = True
    desk.settings = {"approvals": {"mode": "off", "timeout": 2}}
    with model(start(desk), DONE) as script:
        desk.configure(script)
        desk.start("chat", "-Q", "--yolo", "-q", "Start it.", HERMES_YOLO_MODE="1").communicate(timeout=PATIENCE_S)
        [stand] = answers(script)
    assert stand["status"] == "needs_approval", stand
    assert desk.bench.starts == []


WAYS = (
    "fsdp-agent approve {hash} --home {home}",
    f"{FSDP_AGENT} approve {{hash}} --home {{home}}",
    "bash -c 'fsdp-agent approve {hash} --home {home}'",
    "env -u HERMES_SESSION_ID -u HERMES_SESSION_KEY fsdp-agent approve {hash} --home {home}",
    "fsdp-agent   approve {hash} --home {home}",
    "FSDP_AGENT_HOME={home} fsdp-agent 'app''rove' {hash}",
    "cat {home}/secrets/approve.key",
)
"""Ways in which a model might go round the person."""


def typed(desk: Desk, ways: tuple[str, ...]) -> list[str]:
    """What the agent's terminal answered, each way typed in one turn."""
    stand = answers(turn(desk, start(desk), DONE))[0]
    assert stand.get("status") == "needs_approval", stand
    names = {"hash": stand["launch_hash"], "home": desk.bench.home.root}
    steps = [{"tool": "terminal", "args": {"command": way.format(**names)}} for way in ways]
    return turn(desk, *steps, DONE).results()


def test_the_command_line_refuses_in_the_agents_own_terminal(desk: Desk) -> None:
    # without a deny rule, and with Hermes' own questions switched off
    desk.settings = {"approvals": {"mode": "off"}}
    said = typed(desk, WAYS[:3])
    assert len(said) == 3
    assert all("approving is a person's" in each for each in said), said
    assert desk.bench.starts == []


def test_hermes_own_deny_rule_stops_the_command_before_it_is_run(desk: Desk) -> None:
    # even where its owner has switched Hermes' questions off
    desk.settings = {"approvals": {"mode": "off", "deny": list(DENY)}}
    said = typed(desk, WAYS)
    assert len(said) == len(WAYS)
    for way, each in zip(WAYS, said, strict=True):
        assert "BLOCKED" in each, (way, each)
        assert "deny rule" in each, (way, each)
    assert desk.bench.starts == []
    # what does not approve is not in its way
    assert "run" in typed(desk, ("fsdp-agent jobs list --home {home}",))[0]


def family(server: Gateway) -> list[psutil.Process]:
    """Hermes and every process that it started and that hangs with it, our MCP server among them."""
    assert server.process is not None
    parent = psutil.Process(server.process.pid)
    return [parent, *parent.children(recursive=True)]


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "hung"])
def test_a_run_outlives_a_hermes_that_is(desk: Desk, blow: signal.Signals) -> None:
    desk.elicitation = True
    desk.bench.switch("hold")
    with gateway(desk, start(desk), DONE) as (server, script):
        server.asked(turn_id := server.ask("Start my training."))
        server.answer(turn_id, "once")
        server.finish(turn_id)
        stand = answers(script)[0]
        until("the job runs", lambda: desk.bench.starts)
        struck = family(server)
        assert any("mcp" in process.cmdline() for process in struck), "our server is among them"
        for process in struck:
            os.kill(process.pid, blow)
        # the job is none of them: it goes on, ends, and everything about it can be had without them
        desk.bench.switch("hold", False)
        assert desk.bench.wait(stand["run_id"]).state == "done"
        assert desk.agent("jobs", "follow", stand["run_id"], *home(desk)).returncode == 0
        listed = json.loads(desk.agent("jobs", "list", *home(desk), "--json").stdout)
        assert [run["state"] for run in listed["runs"]] == ["done"]
        for process in struck:
            if process.is_running():
                os.kill(process.pid, signal.SIGCONT)
    # another Hermes, another server: the same thread, and its report
    key = tool("start_run", key="k", request=desk.bench.request)
    again, report = answers(turn(desk, key, tool("read", id=stand["thread_id"], what="report"), DONE))
    assert (again["phase"], again["run_id"]) == ("done", stand["run_id"])
    assert stand["launch_hash"] in report["report"]
    assert desk.bench.starts == [stand["run_id"]]
