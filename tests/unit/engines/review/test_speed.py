"""Speed and memory: a thousand files of three hundred lines in half a minute, on one core."""

import json
import subprocess
import sys
from pathlib import Path

from tests.review_tree import MEASURE, write_tree

FILES = 60
CPU_SECONDS_PER_FILE = 0.030
"""30 s for 1,000 files; measured in the process's own CPU time, which a busy machine does not change."""
START_SECONDS = 1.0
"""Allowance for the start of the interpreter and the imports."""
MAX_PEAK_KIB = 300 * 1024
FEW, MANY = 60, 150
KIB_PER_FURTHER_FILE = 150
"""A thousand files would add 146 MiB to what the first ones take; a tree that stays alive takes 500 KiB."""


def measured(folder: Path) -> dict[str, float]:
    done = subprocess.run([sys.executable, "-c", MEASURE, str(folder)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_a_thousand_files_would_take_half_a_minute(tmp_path: Path) -> None:
    write_tree(tmp_path, FILES)
    seen = measured(tmp_path)
    assert seen["files"] > FILES / 2
    assert seen["cpu_s"] < START_SECONDS + FILES * CPU_SECONDS_PER_FILE
    assert 0 < seen["peak_kib"] < MAX_PEAK_KIB


def test_memory_does_not_grow_with_the_files(tmp_path: Path) -> None:
    for count in (FEW, MANY):
        (tmp_path / str(count)).mkdir()
        write_tree(tmp_path / str(count), count)
    few, many = (measured(tmp_path / str(count))["peak_kib"] for count in (FEW, MANY))
    assert many - few < KIB_PER_FURTHER_FILE * (MANY - FEW)


def test_many_branches_take_time_in_proportion(tmp_path: Path) -> None:
    """Four hundred branches, each of which may shard: once a minute, for every call met every other one."""
    branches = "".join(f"if a{n}:\n    m = fully_shard(m)\nelse:\n    m = g(m)\n" for n in range(400))
    (tmp_path / "f.py").write_text(f"from torch.distributed.fsdp import fully_shard\nm = Net()\n{branches}")
    assert measured(tmp_path)["cpu_s"] < START_SECONDS + 5.0
