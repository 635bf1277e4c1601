"""The review beside TorchFix on the same tree: CPU seconds per file, and the peak of memory.

TorchFix is installed into an environment of its own, or `FSDP_TORCHFIX` names one that is.
"""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.review_tree import MEASURE, write_tree

FILES = 1_000
MAX_CPU_SECONDS = 30.0
MAX_PEAK_KIB = 300 * 1024

TIMED = """
import json, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"cpu_s": used.ru_utime + used.ru_stime, "said": done.stdout[-300:] + done.stderr[-300:]}))
"""


def _torchfix(folder: Path) -> str:
    named = os.environ.get("FSDP_TORCHFIX")
    if named:
        return named
    venv.create(folder, with_pip=True)
    command = [str(folder / "bin" / "pip"), "install", "-q", "torchfix"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        pytest.skip(f"TorchFix cannot be installed here: {done.stderr[-200:]}")
    return str(folder / "bin" / "torchfix")


@pytest.mark.slow
@pytest.mark.interop
@pytest.mark.timeout(1800)
def test_a_thousand_files_in_half_a_minute_and_sooner_than_torchfix(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    write_tree(tree, FILES)
    torchfix = _torchfix(tmp_path / "venv")
    mine = json.loads(subprocess.check_output([sys.executable, "-c", MEASURE, str(tree)], text=True))
    command = [sys.executable, "-c", TIMED, torchfix, "-j", "1", "--select=ALL", str(tree)]
    theirs = json.loads(subprocess.check_output(command, text=True))
    print(f"review {mine['cpu_s']:.1f} s, {mine['peak_kib'] / 1024:.0f} MiB; TorchFix {theirs['cpu_s']:.1f} s")
    assert mine["files"] > 0.9 * FILES
    assert mine["cpu_s"] < MAX_CPU_SECONDS
    assert mine["peak_kib"] < MAX_PEAK_KIB
    assert mine["cpu_s"] < theirs["cpu_s"]
