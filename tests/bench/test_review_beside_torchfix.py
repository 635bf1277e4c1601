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

CASES = Path(__file__).parents[1] / "cases"
FILES = 1_000
LINES_PER_FILE = 300
MAX_CPU_SECONDS = 30.0
MAX_PEAK_KIB = 500 * 1024

PROGRAM = """
import json, resource, sys
from engines.review.engine import review_paths
files = len(review_paths(sys.argv[1:]).files)
used = resource.getrusage(resource.RUSAGE_SELF)
with open("/proc/self/status") as status:
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
print(json.dumps({"files": files, "cpu_s": used.ru_utime + used.ru_stime, "peak_kib": peak}))
"""
TIMED = """
import json, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"cpu_s": used.ru_utime + used.ru_stime, "said": done.stdout[-300:] + done.stderr[-300:]}))
"""


def _tree(folder: Path, files: int) -> None:
    """Files of 300 lines, put together from the fixtures; each part is a whole file, so all parse."""
    texts = [path.read_text() for path in sorted(CASES.glob("review*/**/*.py"))]
    for number in range(files):
        lines: list[str] = []
        index = number * 7
        while len(lines) < LINES_PER_FILE:
            lines += texts[index % len(texts)].splitlines()
            index += 1
        (folder / f"f{number}.py").write_text("\n".join(lines) + "\n")


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
    _tree(tree, FILES)
    torchfix = _torchfix(tmp_path / "venv")
    mine = json.loads(subprocess.check_output([sys.executable, "-c", PROGRAM, str(tree)], text=True))
    command = [sys.executable, "-c", TIMED, torchfix, "-j", "1", "--select=ALL", str(tree)]
    theirs = json.loads(subprocess.check_output(command, text=True))
    print(f"review {mine['cpu_s']:.1f} s, {mine['peak_kib'] / 1024:.0f} MiB; TorchFix {theirs['cpu_s']:.1f} s")
    assert mine["files"] > 0.9 * FILES
    assert mine["cpu_s"] < MAX_CPU_SECONDS
    assert mine["peak_kib"] < MAX_PEAK_KIB
    assert mine["cpu_s"] < theirs["cpu_s"]
