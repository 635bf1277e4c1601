"""2 GB of logs of 512 ranks: under a minute and 300 MB, the planted cause is found; beside grep with the same words."""

import json
import resource
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.slow

SIZE_BYTES, RANKS, CULPRIT = 2 * 10**9, 512, 137
READ = """
import json, sys, time
from engines.diagnosis.diagnose import diagnose_text
from engines.diagnosis.reading import read_paths
began = time.process_time()
reading = read_paths([sys.argv[1]])
cpu = time.process_time() - began
found = diagnose_text(reading)
high = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(json.dumps({"cpu_s": cpu, "peak_kib": int(high), "cause": found.causes[0].cause, "first": found.first_failure,
                  "diverged": found.first_diverged, "ranks": len(found.rank_states)}))
"""


def generator() -> ModuleType:
    spec = spec_from_file_location("many_ranks", Path(__file__).with_name("many_ranks.py"))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.timeout(900)
def test_two_gigabytes_of_512_ranks(tmp_path: Path) -> None:
    from engines.diagnosis.trouble_words import literals

    generator().write_logs(tmp_path / "logs", SIZE_BYTES, RANKS, CULPRIT)
    done = subprocess.run(
        [sys.executable, "-c", READ, str(tmp_path / "logs")], capture_output=True, text=True, check=True, timeout=600
    )
    found = json.loads(done.stdout)
    print(found)
    assert found["cause"] == "peer-oom-then-nccl-timeout"
    assert f"rank {CULPRIT}: torch.OutOfMemoryError" in found["first"]
    assert found["diverged"] == str(CULPRIT)
    assert found["ranks"] == RANKS
    assert found["cpu_s"] < 60
    assert found["peak_kib"] < 300 * 1024

    words = tmp_path / "words"
    words.write_text("\n".join(literals()) + "\n")
    files = [str(path) for path in sorted((tmp_path / "logs").rglob("*.log"))]
    before = cpu_of_children()
    subprocess.run(
        ["grep", "-cFf", str(words), *files], env={"LC_ALL": "C"}, stdout=subprocess.DEVNULL, check=True, timeout=600
    )
    grep_s = cpu_of_children() - before
    print(f"grep {grep_s:.1f} s, ratio {grep_s / found['cpu_s']:.2f}")
    assert grep_s / found["cpu_s"] >= 0.3
