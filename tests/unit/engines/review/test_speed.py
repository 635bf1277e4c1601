"""Speed and memory: a thousand files of three hundred lines in half a minute, on one core."""

import json
import subprocess
import sys
from pathlib import Path

FIXTURES = Path(__file__).parents[3] / "cases"
FILES = 60
LINES_PER_FILE = 300
CPU_SECONDS_PER_FILE = 0.030
"""30 s for 1,000 files; measured in the process's own CPU time, which a busy machine does not change."""
START_SECONDS = 1.0
"""Allowance for the start of the interpreter and the imports."""
MAX_RSS_KIB = 500 * 1024

PROGRAM = """
import json, resource, sys
from engines.review.engine import review_paths
files = len(review_paths(sys.argv[1:]).files)
used = resource.getrusage(resource.RUSAGE_SELF)
with open("/proc/self/status") as status:
    peak = next((int(line.split()[1]) for line in status if line.startswith("VmHWM:")), 0)
print(json.dumps({"files": files, "cpu": used.ru_utime + used.ru_stime, "peak_rss_kib": peak}))
"""
"""The peak is VmHWM: `ru_maxrss` of a started process begins at the peak of the one that started it."""


def _tree(folder: Path) -> None:
    texts = [path.read_text() for path in sorted(FIXTURES.glob("review*/**/*.py"))]
    for number in range(FILES):
        lines: list[str] = []
        index = number * 7
        while len(lines) < LINES_PER_FILE:
            lines += texts[index % len(texts)].splitlines()
            index += 1
        (folder / f"f{number}.py").write_text("\n".join(lines))


def test_a_thousand_files_would_take_half_a_minute(tmp_path: Path) -> None:
    _tree(tmp_path)
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, check=True)
    measured = json.loads(done.stdout)
    assert measured["files"] > FILES / 2
    assert measured["cpu"] < START_SECONDS + FILES * CPU_SECONDS_PER_FILE
    assert 0 < measured["peak_rss_kib"] < MAX_RSS_KIB


def test_many_branches_take_time_in_proportion(tmp_path: Path) -> None:
    """Four hundred branches, each of which may shard: once a minute, for every call met every other one."""
    branches = "".join(f"if a{n}:\n    m = fully_shard(m)\nelse:\n    m = g(m)\n" for n in range(400))
    (tmp_path / "f.py").write_text(f"from torch.distributed.fsdp import fully_shard\nm = Net()\n{branches}")
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["cpu"] < START_SECONDS + 5.0
