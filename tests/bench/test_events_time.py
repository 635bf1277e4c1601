"""An event log of 100 MB is read page by page: in bounded memory, and from a cursor at once."""

import subprocess
import sys
from pathlib import Path

import pytest

READER = """
import json, sys, time
from pathlib import Path
from runners.reading import newest_step, read_events

path = Path(sys.argv[1])
with open(path, "w") as stream:
    step = size = 0
    while size < 100 << 20:
        step += 1
        line = {"kind": "step", "time": 1.8e9 + step, "attempt": 1, "step": step, "loss": 2.5 + 1 / step}
        line |= {"grad_norm": 0.731, "lr": 1.2e-5, "tokens_per_s": 12345.6, "memory_gib": 40.25, "data": {}}
        size += stream.write(json.dumps(line) + chr(10))

def peak_kib():
    [line] = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]
    return int(line.split()[1])

def timed(work):
    began = time.process_time()
    result = work()
    return result, time.process_time() - began

before, cursor, count, worst_s, whole_s = peak_kib(), 0, 0, 0.0, 0.0
while True:
    page, taken_s = timed(lambda: read_events(path, cursor, 1000))
    whole_s, worst_s = whole_s + taken_s, max(worst_s, taken_s)
    count += len(page.events)
    if page.cursor == cursor:
        break
    cursor = page.cursor
page, tail_s = timed(lambda: read_events(path, cursor - 2000, 1000))
newest, newest_s = timed(lambda: newest_step(path))
print(json.dumps({"events": count, "steps": step, "whole_s": whole_s, "worst_s": worst_s, "tail_s": tail_s,
    "tail_events": len(page.events), "newest": newest[0], "newest_s": newest_s, "grown_kib": peak_kib() - before}))
"""


@pytest.mark.slow
def test_a_hundred_megabytes_of_events(tmp_path: Path) -> None:
    import json

    done = subprocess.run(
        [sys.executable, "-c", READER, str(tmp_path / "events.jsonl")],
        capture_output=True,
        text=True,
        timeout=280,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    print(
        f"100 MB, {found['events']} events: {found['whole_s']:.1f} s, worst page {found['worst_s'] * 1000:.0f} ms, "
        f"from a cursor near the end {found['tail_s'] * 1000:.2f} ms, newest step {found['newest_s'] * 1000:.2f} ms, "
        f"memory {found['grown_kib'] / 1024:.1f} MiB more"
    )
    assert found["events"] == found["steps"] == found["newest"]
    assert found["tail_events"] > 5
    assert found["grown_kib"] < 32 << 10
    # a follower looks twice a second: a page must never make it late, a look at the end must be nothing
    assert found["worst_s"] < 0.5
    assert found["tail_s"] < 0.02
    assert found["newest_s"] < 0.02
    assert found["whole_s"] < 40
