"""A job that prints its secret: no log that is shown, event, reason or file of ours has it."""

from pathlib import Path

import pytest

from tests.job_shop import JobShop, shop

__all__ = ["shop"]

SECRET = "correct-horse-battery-staple"

LEAK = """
import json, os, time
key = os.environ["MY_API_KEY"]
print("using", key, flush=True)
with open(os.environ["FSDP_RUN_DIR"] + "/events.jsonl", "a") as log:
    log.write(json.dumps({"kind": "warning", "time": time.time(), "data": {"message": "key " + key}}) + "\\n")
raise RuntimeError("refused: " + key)
"""


def test_nothing_that_is_shown_or_recorded_has_it(shop: JobShop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", SECRET)
    run = shop.submit(shop.launch(LEAK, env_passed=("MY_API_KEY",)))
    end = shop.wait(run.run_id)
    assert end.state == "failed"
    assert end.reason.endswith("RuntimeError: refused: [redacted: MY_API_KEY]")
    log = shop.runner.logs(run.run_id)
    assert "using [redacted: MY_API_KEY]" in log
    assert SECRET not in log
    (event,) = shop.runner.events(run.run_id).events
    assert event.data == {"message": "key [redacted: MY_API_KEY]"}
    # what the job itself wrote is its own; all else in the folder is ours
    own = {"events.jsonl", "torchrun.log"}
    ours = [path for path in Path(end.run_dir).rglob("*") if path.is_file() and path.name not in own]
    assert len(ours) >= 5
    assert not [path for path in ours if SECRET.encode() in path.read_bytes()]
