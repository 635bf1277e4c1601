"""The module that a user's script imports: what it writes, and that it is silent outside a run."""

import json
import subprocess
import sys
from pathlib import Path

PAYLOAD = Path(__file__).parents[3] / "runners" / "payload"


def run(body: str, folder: Path | None, rank: int = 0) -> subprocess.CompletedProcess[str]:
    env = {"PYTHONPATH": str(PAYLOAD), "RANK": str(rank), "FSDP_ATTEMPT": "3", "PYTHONDONTWRITEBYTECODE": "1"}
    if folder is not None:
        (folder / "hb").mkdir(exist_ok=True)
        env["FSDP_RUN_DIR"] = str(folder)
    done = subprocess.run([sys.executable, "-c", body], env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done


def test_outside_a_run_it_does_nothing(tmp_path: Path) -> None:
    body = (
        "import os, threading, fsdp_heartbeat\n"
        "fsdp_heartbeat.beat(1, loss=2.0)\n"
        "assert not fsdp_heartbeat.stop_asked()\n"
        "assert threading.active_count() == 1\n"
    )
    run(body, None)
    assert list(tmp_path.iterdir()) == []


def test_a_beat_is_a_heartbeat_and_on_rank_0_progress(tmp_path: Path) -> None:
    for rank in (0, 1):
        run("import fsdp_heartbeat\nfsdp_heartbeat.beat(7, loss=0.5, grad_norm=1)\n", tmp_path, rank)
    for rank in (0, 1):
        beat = json.loads((tmp_path / "hb" / f"{rank}.json").read_text())
        assert (beat["step"], beat["phase"]) == (7, "step")
    [line] = (tmp_path / "events.jsonl").read_text().splitlines()
    event = json.loads(line)
    assert (event["kind"], event["attempt"], event["step"], event["loss"], event["grad_norm"]) == ("step", 3, 7, 0.5, 1)


def test_a_phase_is_no_step(tmp_path: Path) -> None:
    run("import fsdp_heartbeat\nfsdp_heartbeat.beat(7, phase='checkpoint')\n", tmp_path)
    assert json.loads((tmp_path / "hb" / "0.json").read_text())["phase"] == "checkpoint"
    assert not (tmp_path / "events.jsonl").exists()


def test_the_import_alone_beats_while_the_main_thread_moves_and_not_while_it_stands_still(tmp_path: Path) -> None:
    body = (
        "import os, time, pathlib, fsdp_heartbeat\n"
        "path = pathlib.Path(os.environ['FSDP_RUN_DIR'], 'hb', '0.json')\n"
        "end = time.time() + 30\n"
        "while not path.exists() and time.time() < end:\n"
        "    sum(range(1000))\n"
        "first = path.read_text()\n"
        "while path.read_text() == first and time.time() < end:\n"
        "    sum(range(1000))\n"
        "assert path.read_text() != first\n"
        "def stand():\n"
        "    time.sleep(6)\n"
        "    return path.read_text()\n"
        "last = stand()\n"
        "print(time.time() - __import__('json').loads(last)['time'])\n"
    )
    silent_s = float(run(body, tmp_path).stdout)
    assert silent_s > 2.5  # at most one look saw it arrive at where it stands


def test_a_rank_that_is_asked_writes_its_stacks_and_goes_on(tmp_path: Path) -> None:
    (tmp_path / "attempts" / "0003").mkdir(parents=True)
    body = "import os, signal, fsdp_heartbeat\ndef waits():\n    os.kill(os.getpid(), 50)\nwaits()\nprint('went on')\n"
    assert run(body, tmp_path, rank=2).stdout == "went on\n"
    stack = (tmp_path / "attempts" / "0003" / "diag" / "stack-2.txt").read_text()
    assert 'File "<string>", line 3 in waits' in stack


def test_a_folder_that_is_full_or_gone_ends_nothing(tmp_path: Path) -> None:
    body = "import os, shutil, fsdp_heartbeat\nshutil.rmtree(os.environ['FSDP_RUN_DIR'] + '/hb')\n"
    run(body + "fsdp_heartbeat.beat(1, phase='eval')\n", tmp_path)


def test_a_stop_that_was_asked_for_is_seen(tmp_path: Path) -> None:
    (tmp_path / "cmd").mkdir()
    (tmp_path / "cmd" / "stop").write_text("{}")
    run("import fsdp_heartbeat\nassert fsdp_heartbeat.stop_asked()\n", tmp_path)
