"""run, approve and reject on the real thing: the built-in job on two CPU ranks, and a person at a terminal."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import psutil
import pytest
import yaml

from contracts.run import TERMINAL_STATES, RunRecord
from runners import Home, LocalRunner
from tests.terminal import run_in_terminal

ROOT = Path(__file__).parents[2]
CLI = str(Path(sys.executable).parent / "fsdp-agent")
SCHEMAS = ROOT / "docs" / "schemas"
PATIENCE_S = 240
QUESTION = "Start it?"
SCREEN = {"TERM": "xterm-256color", "COLUMNS": "150", "LINES": "50"}


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Model and data of the example."""
    folder = tmp_path_factory.mktemp("example")
    subprocess.run([sys.executable, ROOT / "examples" / "tiny_sft" / "make.py", folder], check=True, timeout=PATIENCE_S)
    return folder


@pytest.fixture
def write_request(example: Path, tmp_path: Path) -> Callable[..., Path]:
    """Write a request for a run; an entry such as recipe={"steps": 3} is merged into it."""
    # a copy: one test changes a byte of it
    train = tmp_path / "train.jsonl"
    train.write_bytes((example / "train.jsonl").read_bytes())
    recipe = {"steps": 6, "seq_len": 64, "micro_batch": 2, "lr": 0.004, "param_dtype": "fp32", "checkpoint_every": 3}

    def _write(name: str = "request.yaml", **changes: Any) -> Path:
        request: dict[str, Any] = {
            "intent": "run",
            "model": {"path": str(example / "model")},
            "data": {"train": "train.jsonl"},
            "hardware": {"device": "cpu", "ranks": 2},
            "recipe": recipe | {"export": False},
        }
        for key, value in changes.items():
            request[key] = request.get(key, {}) | value if isinstance(value, dict) else value
        path = tmp_path / name
        path.write_text(yaml.safe_dump(request))
        return path

    return _write


class Agent:
    """The command line with a home folder of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("FSDP_AGENT_")}
        self.environment |= {"FSDP_AGENT_HOME": str(home), "HOME": str(home.parent), "OMP_NUM_THREADS": "1"}

    def __call__(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [CLI, *map(str, words)],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            env=self.environment,
            stdin=subprocess.DEVNULL,
        )

    def json(self, code: int, schema: str, *words: str | Path) -> Any:
        """The answer of a command that ends with this code, checked against its schema."""
        result = self(*words, "--json")
        assert result.returncode == code, (result.stdout, result.stderr)
        value = json.loads(result.stdout)
        jsonschema.validate(value, json.loads((SCHEMAS / f"{schema}.schema.json").read_text()))
        return value

    def runs(self) -> list[RunRecord]:
        return list(LocalRunner(Home(self.home)).runs())

    def terminal(self, *words: str | Path, answers: dict[str, str], ahead: str = "") -> tuple[int, str]:
        """Run in a terminal; when a key of `answers` is drawn, its value is typed; `ahead` is typed at once."""
        waiting = {"": ahead} | answers  # nothing is what everything begins with

        def _type(drawn: str, _pid: int, terminal: int) -> None:
            for sign in [sign for sign in waiting if sign in drawn]:
                os.write(terminal, waiting.pop(sign).encode())

        return run_in_terminal([CLI, *map(str, words)], self.environment | SCREEN, PATIENCE_S, _type)


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    made = Agent(tmp_path / "home")
    yield made
    for record in made.runs():
        if record.state not in TERMINAL_STATES:
            made("jobs", "cancel", record.run_id)
            made("jobs", "follow", record.run_id)


@pytest.mark.train
def test_kill_9_of_the_command_line_loses_nothing_and_an_approval_starts_one_job(
    agent: Agent, write_request: Callable[..., Path]
) -> None:
    request = write_request(recipe={"steps": 60})
    waiting = agent.json(4, "run", "run", request)
    assert waiting["phase"] == "awaiting_approval"
    assert agent.runs() == []  # nothing starts before a person says so

    words = [CLI, "approve", waiting["launch_hash"], "--follow"]
    client = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=agent.environment, start_new_session=True)
    assert client.stdout is not None
    for line in client.stdout:
        if re.search(r"step  \d+/60", line):
            break
    os.killpg(client.pid, signal.SIGKILL)
    assert client.wait(PATIENCE_S) == -signal.SIGKILL
    client.stdout.close()

    again = agent.json(0, "approve", "approve", waiting["launch_hash"])
    (record,) = agent.runs()
    assert (again["run_id"], again["thread_id"]) == (record.run_id, waiting["thread_id"])
    assert record.state in ("running", "done")

    followed = agent.json(0, "jobs-follow", "jobs", "follow", record.run_id)
    assert (followed["run"]["state"], followed["run"]["step"], followed["run"]["attempt"]) == ("done", 60, 1)
    assert (followed["thread_id"], followed["phase"]) == (waiting["thread_id"], "done")
    assert record.run_id in Path(followed["report"]).read_text()

    third = agent.json(0, "approve", "approve", waiting["launch_hash"])
    assert (third["run_id"], third["phase"]) == (record.run_id, "done")
    assert third["report"]["loss_last"] < third["report"]["loss_first"]
    assert len(agent.runs()) == 1


@pytest.mark.train
def test_a_person_at_a_terminal_sees_the_plan_says_yes_and_watches(
    agent: Agent, write_request: Callable[..., Path]
) -> None:
    code, drawn = agent.terminal("run", write_request(recipe={"steps": 12}), answers={QUESTION: "yes\n"})
    assert code == 0
    plan, _, rest = drawn.partition(QUESTION)
    (record,) = agent.runs()
    for shown in (
        record.launch_hash,
        "memory at the peak",
        "decision",
        "torch.distributed.run",
        "SHA-256",
        "review",
    ):
        assert shown in plan
    for shown in (
        "12/12",
        "loss",
        "tokens/s",
        "GiB",
        "grad norm",
        "checkpoint",
        "restarts",
        f"{record.run_id} done",
    ):
        assert shown in rest
    report = re.search(r"Report: (\S+)", rest)
    assert report is not None
    assert Path(report[1]).read_text()


@pytest.mark.train
def test_yes_passes_where_the_owner_has_listed_the_request(agent: Agent, write_request: Callable[..., Path]) -> None:
    request = write_request(recipe={"steps": 3})
    refused = agent("run", request, "--yes")
    assert refused.returncode == 5
    assert refused.stdout == ""
    assert not agent.home.exists()  # refused before anything was done
    config = agent.home.parent / "config.toml"
    config.write_text("\n".join(refused.stderr.splitlines()[-3:]))  # what the message says to add
    config.chmod(0o600)
    agent.environment["FSDP_AGENT_CONFIG"] = str(config)
    done = agent.json(0, "run", "run", request, "--yes")
    assert (done["phase"], done["run"]["state"], done["run"]["step"]) == ("done", "done", 3)
    other = agent.json(5, "error", "run", write_request("other.yaml"), "--yes")
    assert other["error"]["code"] == "yes_not_allowed"


@pytest.mark.train
def test_a_killed_rank_is_reported_resumed_and_reported_again(agent: Agent, write_request: Callable[..., Path]) -> None:
    # left to the supervisor, the run would go on by itself
    request = write_request(recipe={"steps": 40, "checkpoint_every": 5}, restart={"max_restarts": 0})
    waiting = agent.json(4, "run", "run", request)
    run_id = agent.json(0, "approve", "approve", waiting["launch_hash"])["run_id"]
    assert agent("jobs", "follow", run_id, "--until", "checkpoint").returncode == 0
    ranks = [process for process in psutil.process_iter() if _is_rank(process, run_id)]
    ranks[-1].kill()
    failed = agent.json(1, "jobs-follow", "jobs", "follow", run_id)
    assert (failed["run"]["state"], failed["phase"]) == ("failed", "failed")
    first = Path(failed["report"]).read_text()
    agent.json(0, "jobs-resume", "jobs", "resume", run_id)
    done = agent.json(0, "jobs-follow", "jobs", "follow", run_id)
    assert (done["run"]["state"], done["run"]["attempt"], done["run"]["step"], done["phase"]) == ("done", 2, 40, "done")
    assert Path(done["report"]).read_text() != first


def _is_rank(process: psutil.Process, run_id: str) -> bool:
    try:
        environment = process.environ()
    except psutil.Error:
        return False
    return environment.get("FSDP_RUN_ID") == run_id and "RANK" in environment


def test_without_a_terminal_it_stops_says_how_to_go_on_and_can_be_rejected(
    agent: Agent, write_request: Callable[..., Path]
) -> None:
    stopped = agent("run", write_request(), "--thread", "t-0123456789ab")
    assert stopped.returncode == 4
    found = re.search(r"approve it:  fsdp-agent (approve ([0-9a-f]{64}) --thread t-0123456789ab)", stopped.stdout)
    assert found is not None
    again = agent.json(4, "run", "run", write_request(), "--thread", "t-0123456789ab")
    assert again["launch_hash"] == found[2]
    other = agent.json(2, "error", "run", write_request(recipe={"steps": 7}), "--thread", "t-0123456789ab")
    assert "another request" in other["error"]["message"]
    rejected = agent.json(5, "reject", "reject", found[2][:12], "--reason", "too early")
    assert rejected["phase"] == "declined"
    assert agent.json(5, "reject", "reject", found[2])["phase"] == "declined"  # said twice
    late = agent(*found[1].split())
    assert late.returncode == 5
    assert "already rejected by" in late.stderr
    assert agent.runs() == []


@pytest.mark.parametrize(
    ("typed", "code", "said"), [("no\n", 5, ""), ("\n", 4, "approve it:"), ("\x04", 4, "approve it:")]
)
def test_only_yes_starts_it(agent: Agent, write_request: Callable[..., Path], typed: str, code: int, said: str) -> None:
    got, drawn = agent.terminal("run", write_request(), answers={QUESTION: typed})
    assert (got, said in drawn) == (code, True)
    assert agent.runs() == []


def test_what_was_typed_before_the_question_is_no_answer(agent: Agent, write_request: Callable[..., Path]) -> None:
    code, _ = agent.terminal("run", write_request(), answers={QUESTION: "\n"}, ahead="yes\n")
    assert code == 4
    assert agent.runs() == []


def test_a_byte_that_changed_after_the_plan_is_refused(
    agent: Agent, write_request: Callable[..., Path], tmp_path: Path
) -> None:
    waiting = agent.json(4, "run", "run", write_request())
    data = tmp_path / "train.jsonl"
    data.write_bytes(data.read_bytes().replace(b"e", b"a", 1))
    refused = agent.json(5, "error", "approve", waiting["launch_hash"])
    assert refused["error"]["code"] == "content_changed"
    assert "train.jsonl" in refused["error"]["message"]
    assert agent.runs() == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"model": {"path": "nowhere"}}, "nowhere"),
        ({"recipe": {"stepz": 3}}, "stepz"),
        ({"recipe": {"steps": -3}}, "steps"),
        ({"data": {"train": "broken.jsonl"}}, "broken.jsonl:2"),
        ({"data": {"train": "none.jsonl"}}, "none.jsonl"),
        ({"hardware": {"device": "cuda", "ranks": 64}}, "64 GPUs"),
        ({"interpreter": "/no/such/python"}, "/no/such/python"),
    ],
    ids=["model", "key", "negative", "broken-line", "data", "gpus", "interpreter"],
)
def test_a_bad_request_is_one_clear_message_and_leaves_nothing(
    agent: Agent, write_request: Callable[..., Path], tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    (tmp_path / "broken.jsonl").write_text('{"prompt": "a", "response": "b"}\n{"prompt": \n')
    result = agent("run", write_request(**changes))
    assert result.returncode == 2, result.stdout
    assert result.stdout == ""
    assert said in result.stderr
    assert "Traceback" not in result.stderr
    assert len(result.stderr.splitlines()) <= 3
    assert agent.runs() == []
    assert not list((agent.home / "plans").glob("*"))


def test_a_home_that_cannot_be_used_is_named(agent: Agent, tmp_path: Path, write_request: Callable[..., Path]) -> None:
    agent.home.mkdir()
    (agent.home / "threads.sqlite").write_bytes(b"this is no database" * 100)
    broken = agent.json(2, "error", "run", write_request())
    assert broken["error"]["code"] == "threads_unreadable"
    assert "not a database" in broken["error"]["message"]
    (tmp_path / "file").touch()
    nowhere = agent.json(2, "error", "run", write_request(), "--home", tmp_path / "file" / "home")
    assert "which is no folder" in nowhere["error"]["message"]


def test_other_wrong_uses_of_run_and_approve(agent: Agent, tmp_path: Path, write_request: Callable[..., Path]) -> None:
    missing = agent.json(2, "error", "run", tmp_path / "none.yaml")
    assert missing["error"]["code"] == "file_unreadable"
    unknown = agent.json(2, "error", "approve", "0" * 64)
    assert unknown["error"]["code"] == "unknown_launch"
    assert "no launch hash" in agent.json(2, "error", "approve", "latest")["error"]["message"]
    assert "other form" in agent.json(2, "error", "run", write_request(), "--thread", "../x")["error"]["message"]


def test_a_launch_that_waits_in_two_threads_is_not_picked_from(
    agent: Agent, write_request: Callable[..., Path]
) -> None:
    threads = ["t-00000000000a", "t-00000000000b"]
    one, other = (agent.json(4, "run", "run", write_request(), "--thread", name) for name in threads)
    assert one["launch_hash"] == other["launch_hash"]
    for command in ("approve", "reject"):
        error = agent.json(2, "error", command, one["launch_hash"])["error"]
        assert all(name in error["message"] for name in threads)
        assert "--thread" in error["hint"]
    assert agent.runs() == []
    chosen = agent.json(5, "reject", "reject", one["launch_hash"], "--thread", threads[1])
    assert (chosen["thread_id"], chosen["phase"]) == (threads[1], "declined")


@pytest.mark.train
def test_two_approvals_at_once_start_one_job(agent: Agent, write_request: Callable[..., Path]) -> None:
    waiting = agent.json(4, "run", "run", write_request(recipe={"steps": 200}))
    words = [CLI, "approve", waiting["launch_hash"], "--json"]
    racing = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=agent.environment) for _ in range(3)]
    answers = [json.loads(process.communicate(timeout=PATIENCE_S)[0]) for process in racing]
    assert [process.returncode for process in racing] == [0, 0, 0]
    (record,) = agent.runs()
    assert {entry["run_id"] for entry in answers} == {record.run_id}

    # nobody follows it: reconcile lets the thread take note of the end, once
    agent.json(0, "jobs-cancel", "jobs", "cancel", record.run_id)
    deadline = time.monotonic() + PATIENCE_S
    while agent.runs()[0].state != "cancelled" and time.monotonic() < deadline:
        time.sleep(0.5)
    assert agent.json(0, "reconcile", "reconcile")["threads"] == [waiting["thread_id"]]
    assert agent.json(0, "reconcile", "reconcile")["threads"] == []
    ended = agent.json(1, "approve", "approve", waiting["launch_hash"])
    assert (ended["phase"], ended["run"]["state"]) == ("failed", "cancelled")
