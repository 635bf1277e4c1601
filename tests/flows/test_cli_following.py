"""What `jobs follow` and `jobs show` tell of restarts, hangs and hand-overs, on real runs."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema

from contracts.launch import RestartPolicy, WatchLimits
from tests.job_shop import JobShop, shop

__all__ = ["shop"]

CLI = str(Path(sys.executable).parent / "fsdp-agent")
SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"
FAILS_TWICE_ALIKE = """\
import json, os, pathlib, time
run, attempt = pathlib.Path(os.environ["FSDP_RUN_DIR"]), int(os.environ["FSDP_ATTEMPT"])
with open(run / "events.jsonl", "a") as log:
    log.write(json.dumps({"kind": "step", "time": time.time(), "attempt": attempt, "step": 5, "loss": 2.0}) + "\\n")
raise RuntimeError("\\x1b[2Jno such shard %d" % attempt)
"""


def _cli(shop: JobShop, *words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"FSDP_AGENT_HOME": str(shop.home.root)}
    return subprocess.run([CLI, *words], capture_output=True, text=True, timeout=120, env=environment)


def _answer(result: subprocess.CompletedProcess[str], command: str) -> Any:
    value = json.loads(result.stdout)
    jsonschema.validate(value, json.loads((SCHEMAS / f"{command}.schema.json").read_text()))
    return value


def test_restarts_and_the_hand_over_are_followed_and_shown(shop: JobShop) -> None:
    policy = RestartPolicy(max_restarts=4, backoff_s=0.0, give_up_after_s=7200.0)
    run = shop.submit(shop.launch(FAILS_TWICE_ALIKE, restart=policy, watch=WatchLimits(boot_s=60.0)))
    followed = _cli(shop, "jobs", "follow", run.run_id)
    assert followed.returncode == 1
    assert re.search(r"  restart  start 2: restart 1 of 4 after: the launcher exited with 1", followed.stdout)
    assert "not restarted: the same error came again at the same place, step 5" in followed.stdout
    shown = _cli(shop, "jobs", "show", run.run_id)
    assert shown.returncode == 0
    for words in (
        "restarts     up to 4 times within 2 h, 0 s to 10 min apart; not after the same error at the same step",
        "hung after   no sign of life for: boot 1 min, step 10 min, checkpoint 1 h, eval 30 min; or 10 times",
        "handed over to diagnosis:",
        "  start 1, step 5: the launcher exited with 1: RuntimeError: ",
        "  evidence: attempts/0002/torchrun.log",
    ):
        assert words in shown.stdout
    assert "\x1b" not in followed.stdout + shown.stdout
    detail = _answer(_cli(shop, "jobs", "show", run.run_id, "--json"), "jobs-show")
    assert detail["restart"]["max_restarts"] == 4
    assert [notice["kind"] for notice in detail["notices"]] == ["restart", "give_up"]
    assert [start["attempt"] for start in detail["handover"]["starts"]] == [1, 2]


def test_following_goes_on_from_a_cursor_without_what_was_shown(shop: JobShop) -> None:
    run = shop.submit(shop.trainer(60))
    begun = _answer(_cli(shop, "jobs", "follow", run.run_id, "--until", "step=3", "--json"), "jobs-follow")
    cursor = begun["cursor"]
    seen = (shop.run_dir(run.run_id) / "events.jsonl").read_bytes()[:cursor]
    assert seen.endswith(b"\n")
    assert b'"step": 3' in seen
    rest = _cli(shop, "jobs", "follow", run.run_id, "--cursor", str(cursor), "--json")
    assert rest.returncode == 0
    assert re.search(r"step +60\b", rest.stderr)
    assert not re.search(r"step +[123]  ", rest.stderr)
    assert _answer(rest, "jobs-follow")["cursor"] == (shop.run_dir(run.run_id) / "events.jsonl").stat().st_size


def test_a_supervisor_that_took_over_is_told(shop: JobShop) -> None:
    run = shop.submit(shop.trainer(100))
    shop.until_step(run.run_id, 1)
    os.kill(shop.supervisor(run.run_id), signal.SIGKILL)
    shop.until(shop.runner.reconcile)
    followed = _cli(shop, "jobs", "follow", run.run_id)
    assert followed.returncode == 0
    assert "  adopted  start 1: another supervisor took the job over" in followed.stdout
