"""The jobs commands on real runs of a small script: found, shown, followed, stopped, gone on with.

The runs are submitted to the runner as the graph does it; the command line is the real
one, in processes of its own.
"""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from contracts.approval import Approval
from contracts.canonical import file_sha256, seal
from contracts.launch import InputDigest, LaunchRequest, LaunchResources
from contracts.run import RunRecord
from runners import Home, LocalRunner
from tests.terminal import run_in_terminal

CLI = str(Path(sys.executable).parent / "fsdp-agent")
SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"
PATIENCE_S = 120

JOB = """
import json, os, sys, time
from pathlib import Path
folder, attempt = Path(os.environ["FSDP_RUN_DIR"]), int(os.environ["FSDP_ATTEMPT"])
steps, pace_s, how = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
def say(**event):
    with open(folder / "events.jsonl", "a") as stream:
        stream.write(json.dumps({"time": time.time(), "attempt": attempt, **event}) + "\\n")
def end(status, step):
    (folder / "result.json").write_text(json.dumps({"status": status, "steps": step, "loss": 1.0, "export": None}))
    sys.exit(0)
say(kind="boot", data={"steps": steps})
print("\\x1b[31mred\\x1b[0m [bold]words[/bold]", flush=True)
for step in range(1, steps + 1):
    time.sleep(pace_s)
    say(kind="step", step=step, loss=4.0 / step, grad_norm=0.5, tokens_per_s=1234.0, memory_gib=0.25)
    if step == 2:
        say(kind="checkpoint", step=step, data={"seconds": 0.2840494560005027, "kept": 2})
        say(kind="warning", step=step, data={"message": "\\x1b[2J[blink]odd[/blink]"})
    if (folder / "cmd" / "stop").exists():
        end("stopped", step)
    if how == "crash_once" and attempt == 1 and step == 2:
        sys.exit(7)
end("done", steps)
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def submit(home: Path, tmp_path: Path) -> Callable[..., RunRecord]:
    script = tmp_path / "job.py"
    script.write_text(JOB)

    def _submit(steps: int = 3, pace_s: float = 0.05, how: str = "fine", key: str = "") -> RunRecord:
        launch = LaunchRequest(
            kind="script",
            interpreter=sys.executable,
            argv=(str(script), str(steps), str(pace_s), how),
            workdir=str(tmp_path),
            resources=LaunchResources(nodes=1, ranks_per_node=1, device="cpu"),
            writes=("{run_dir}",),
            inputs=(
                InputDigest(
                    role="script", path=str(script), sha256=file_sha256(script), size_bytes=script.stat().st_size
                ),
            ),
        )
        decision = Approval(
            launch_hash=launch.launch_hash,
            decision="approve",
            approver="t",
            decided_at="2026-01-01T00:00:00Z",
            via="cli",
        )
        mac = seal(decision.model_dump(mode="json"), Home(home).secret("approve"))
        return LocalRunner(Home(home)).submit(launch, decision.model_copy(update={"mac": mac}), key or f"k{steps}{how}")

    return _submit


def cli(home: Path, *words: str, timeout_s: float = PATIENCE_S) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"FSDP_AGENT_HOME": str(home)}
    return subprocess.run([CLI, *words], capture_output=True, text=True, timeout=timeout_s, env=environment)


def answer(result: subprocess.CompletedProcess[str], schema: str) -> Any:
    """The one JSON object on stdout, checked against the schema that ships."""
    value = json.loads(result.stdout)
    jsonschema.validate(value, json.loads((SCHEMAS / f"{schema}.schema.json").read_text()))
    return value


def test_a_run_is_followed_to_its_end_in_plain_lines(home: Path, submit: Callable[..., RunRecord]) -> None:
    record = submit(steps=4)
    result = cli(home, "jobs", "follow", record.run_id)
    assert result.returncode == 0, result.stderr
    assert re.search(r"step  4/4  loss 1\.0000  grad norm 0\.5  1,234 tokens/s  0\.25 GiB", result.stdout)
    assert re.search(r"checkpoint  2/4  seconds=0\.284  kept=2$", result.stdout, re.MULTILINE)
    assert f"{record.run_id} done" in result.stdout
    assert "\x1b" not in result.stdout
    assert r"\x1b[2J[blink]odd[/blink]" in result.stdout


def test_json_of_every_command_is_one_object_that_its_schema_allows(
    home: Path, submit: Callable[..., RunRecord]
) -> None:
    run_id = submit(steps=3).run_id
    followed = cli(home, "jobs", "follow", run_id, "--json")
    assert answer(followed, "jobs-follow")["run"]["state"] == "done"
    assert "step" in followed.stderr  # progress goes elsewhere
    shown = answer(cli(home, "jobs", "show", run_id, "--format", "json"), "jobs-show")
    assert (shown["run_id"], shown["state"], shown["step"], shown["loss"]) == (run_id, "done", 3, 4.0 / 3)
    listed = answer(cli(home, "jobs", "list", "--json", "--state", "done"), "jobs-list")
    assert [entry["run_id"] for entry in listed["runs"]] == [run_id]
    assert answer(cli(home, "jobs", "list", "--json", "--state", "failed"), "jobs-list") == {"runs": []}
    logs = answer(cli(home, "jobs", "logs", run_id, "--json"), "jobs-logs")
    assert "words" in logs["text"]
    assert answer(cli(home, "jobs", "cancel", run_id, "--json"), "jobs-cancel")["state"] == "done"
    assert answer(cli(home, "reconcile", "--json"), "reconcile") == {"runs": [], "threads": []}


def test_text_of_a_run_never_steers_the_terminal(home: Path, submit: Callable[..., RunRecord]) -> None:
    run_id = submit(steps=2).run_id
    assert cli(home, "jobs", "follow", run_id).returncode == 0
    logs = cli(home, "jobs", "logs", run_id)
    assert "\x1b" not in logs.stdout
    assert "[bold]words[/bold]" in logs.stdout  # markup is text


def test_a_crash_is_bad_news_and_a_resume_mends_it(home: Path, submit: Callable[..., RunRecord]) -> None:
    run_id = submit(steps=3, how="crash_once").run_id
    assert cli(home, "jobs", "follow", run_id).returncode == 1
    failed = answer(cli(home, "jobs", "show", run_id, "--json"), "jobs-show")
    assert (failed["state"], failed["attempt"]) == ("failed", 1)
    resumed = cli(home, "jobs", "resume", run_id, "--follow", "--json")
    assert resumed.returncode == 0, resumed.stdout
    done = answer(resumed, "jobs-resume")["run"]
    assert (done["state"], done["attempt"]) == ("done", 2)
    again = cli(home, "jobs", "resume", run_id, "--json")
    assert again.returncode == 2
    assert answer(again, "error")["error"]["code"] == "wrong_state"


def test_a_resume_tells_the_attempt_that_it_starts(home: Path, submit: Callable[..., RunRecord]) -> None:
    run_id = submit(steps=3, how="crash_once", key="told").run_id
    assert cli(home, "jobs", "follow", run_id).returncode == 1
    resumed = cli(home, "jobs", "resume", run_id)
    assert (resumed.returncode, resumed.stdout.rstrip().endswith(", attempt 2")) == (0, True), resumed.stdout
    assert cli(home, "jobs", "follow", run_id).returncode == 0
    listed = cli(home, "jobs", "list").stdout.splitlines()
    assert len(listed) == 2, "one line for a run where no terminal shows it"
    assert all(line == line.rstrip() for line in listed)


def test_cancel_stops_a_run_and_follow_says_so(home: Path, submit: Callable[..., RunRecord]) -> None:
    run_id = submit(steps=10_000).run_id
    assert cli(home, "jobs", "follow", run_id, "--until", "step=3").returncode == 0
    assert cli(home, "jobs", "cancel", run_id).returncode == 0
    followed = cli(home, "jobs", "follow", run_id, "--json")
    assert followed.returncode == 1
    assert answer(followed, "jobs-follow")["run"]["state"] == "cancelled"


@pytest.mark.parametrize("condition", ["running", "checkpoint", "step=4"])
def test_following_can_end_before_the_run(home: Path, submit: Callable[..., RunRecord], condition: str) -> None:
    run_id = submit(steps=10_000).run_id
    try:
        result = cli(home, "jobs", "follow", run_id, "--until", condition, "--json")
        assert result.returncode == 0
        assert answer(result, "jobs-follow")["run"]["state"] == "running"
    finally:
        cli(home, "jobs", "cancel", run_id)
        cli(home, "jobs", "follow", run_id)


def test_kill_9_of_the_follower_leaves_the_run_alone(home: Path, submit: Callable[..., RunRecord]) -> None:
    run_id = submit(steps=60).run_id
    follower = subprocess.Popen(
        [CLI, "jobs", "follow", run_id, "--home", str(home)], stdout=subprocess.PIPE, start_new_session=True
    )
    assert follower.stdout is not None
    assert follower.stdout.readline()
    os.killpg(follower.pid, signal.SIGKILL)
    assert follower.wait(PATIENCE_S) == -signal.SIGKILL
    follower.stdout.close()
    found = cli(home, "jobs", "follow", run_id, "--json")
    assert found.returncode == 0
    done = answer(found, "jobs-follow")["run"]
    assert (done["state"], done["attempt"], done["step"]) == ("done", 1, 60)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("jobs", "show", "r-000000000000"), "unknown_run", "no run 'r-000000000000'"),
        (("jobs", "follow", "../../etc"), "unknown_run", "no run '../../etc'"),
        (("jobs", "follow", "r-000000000000", "--until", "noon"), "input_error", "--until 'noon' is not known"),
        (("jobs", "list", "--state", "dead"), "input_error", "--state 'dead' is not known"),
        (("jobs", "logs", "r-000000000000", "--rank", "-1"), "usage", "--rank"),
        (("jobs", "show"), "usage", "RUN_ID"),
        (("jobs", "fly"), "usage", "fly"),
        (("--nonsense",), "usage", "--nonsense"),
    ],
)
def test_wrong_use_is_one_clear_message(home: Path, words: tuple[str, ...], code: str, said: str) -> None:
    for_people = cli(home, *words)
    assert for_people.returncode == 2
    assert for_people.stdout == ""
    assert said in for_people.stderr
    assert "Traceback" not in for_people.stderr
    for_programs = cli(home, *words, "--json")
    assert for_programs.returncode == 2
    error = answer(for_programs, "error")["error"]
    assert error["code"] == code
    assert said in error["message"]
    assert for_programs.stderr == ""


def in_terminal(home: Path, words: list[str], until: Callable[[str], bool]) -> tuple[int, str]:
    """Run the command in a terminal, interrupt it once that holds of what it drew; return (exit code, all that)."""
    interrupted = False

    def _interrupt(drawn: str, pid: int, _terminal: int) -> None:
        nonlocal interrupted
        if not interrupted and until(drawn):
            os.kill(pid, signal.SIGINT)
            interrupted = True

    screen = {"FSDP_AGENT_HOME": str(home), "TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"}
    return run_in_terminal([CLI, *words], os.environ | screen, PATIENCE_S, _interrupt)


def test_a_terminal_shows_a_live_panel(home: Path, submit: Callable[..., RunRecord]) -> None:
    run_id = submit(steps=8).run_id
    code, drawn = in_terminal(home, ["jobs", "follow", run_id], lambda _: False)
    assert code == 0
    last = drawn[drawn.rindex(f"{run_id} done") :]
    for shown in ("8/8", "0.5000", "█", "grad norm 0.5", "1,234 tokens/s", "0.25 GiB", "step 2", "restarts"):
        assert shown in last
    assert re.search(r"[▁▂▃▄▅▆▇█]{4}", last)
    assert "\x1b[2J" not in drawn  # what the job said is shown, not obeyed


def test_ctrl_c_stops_the_watching_and_not_the_run(home: Path, submit: Callable[..., RunRecord]) -> None:
    run_id = submit(steps=3000).run_id
    code, drawn = in_terminal(home, ["jobs", "follow", run_id], lambda text: "/3000" in text)
    assert code == 130
    assert f"the run goes on: fsdp-agent jobs follow {run_id}" in drawn
    assert "Traceback" not in drawn
    assert LocalRunner(Home(home)).status(run_id).state == "running"
    assert cli(home, "jobs", "cancel", run_id).returncode == 0
    assert cli(home, "jobs", "follow", run_id).returncode == 1


def test_a_reader_that_leaves_gets_no_complaint_and_a_pipes_exit_code(
    home: Path, submit: Callable[..., RunRecord]
) -> None:
    run_id = submit(steps=40).run_id
    words = [CLI, "jobs", "follow", run_id, "--home", str(home)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as follower:
        assert follower.stdout is not None
        assert follower.stderr is not None
        follower.stdout.readline()
        follower.stdout.close()
        assert follower.stderr.read() == ""
        assert follower.wait(PATIENCE_S) == 128 + signal.SIGPIPE
