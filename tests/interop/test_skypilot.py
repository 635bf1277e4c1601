"""SkyPilot's own loader reads the task that a plan writes.

SkyPilot lives in an environment of its own: `make skypilot-env` makes it. No cloud is asked.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

from contracts.recipe import Recipe
from engines.artefacts.job import Job
from engines.artefacts.skypilot_yaml import skypilot_yaml

ROOT = Path(__file__).parents[2]
PYTHON = Path(os.environ.get("FSDP_SKYPILOT_ENV", ROOT / ".venv-skypilot")) / "bin" / "python"

pytestmark = [
    pytest.mark.interop,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not PYTHON.exists(), reason="needs SkyPilot in .venv-skypilot; run: make skypilot-env"),
]

LOAD = """
import json, sys
import sky

def read(path):
    task = sky.Task.from_yaml(path)
    [resources] = task.resources
    return {"name": task.name, "nodes": task.num_nodes, "accelerators": resources.accelerators, "run": task.run}

print(json.dumps([read(path) for path in sys.argv[1:]]))
"""


def load(home: Path, *paths: Path) -> subprocess.CompletedProcess[str]:
    """Run SkyPilot's loader with a home folder of its own: it keeps files there."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "SKYPILOT_DISABLE_USAGE_COLLECTION": "1"}
    call = [str(PYTHON), "-c", LOAD, *map(str, paths)]
    return subprocess.run(call, env=environment, cwd=home, capture_output=True, text=True, timeout=300)


def test_skypilot_reads_what_the_plan_says(tmp_path: Path) -> None:
    jobs = {
        "two": Job("meta-llama/Llama-3-8B", Recipe(), 16, 2, "cuda", "H100-80GB"),
        "one": Job("models/my_model", Recipe(), 4, 1, "cuda", "A100-40GB"),
        "unnamed": Job("m", Recipe(), 8, 1, "cuda"),
    }
    paths = [tmp_path / f"{name}.yaml" for name in jobs]
    for path, job in zip(paths, jobs.values(), strict=True):
        path.write_text(skypilot_yaml(job))
    done = load(tmp_path, *paths)
    assert done.returncode == 0, done.stderr[-3000:]
    two, one, unnamed = json.loads(done.stdout.splitlines()[-1])
    assert (two["name"], two["nodes"], two["accelerators"]) == ("fsdp-llama-3-8b", 2, {"H100": 8})
    assert '--node-rank="$SKYPILOT_NODE_RANK"' in two["run"]
    assert (one["name"], one["nodes"], one["accelerators"]) == ("fsdp-my-model", 1, {"A100": 4})
    assert unnamed["accelerators"] is None


def test_its_loader_refuses_what_it_does_not_know(tmp_path: Path) -> None:
    """The test above can fail: the loader is strict."""
    path = tmp_path / "wrong.yaml"
    path.write_text(
        skypilot_yaml(Job("m", Recipe(), 8, 1, "cuda", "H100-80GB")).replace("num_nodes:", "number_of_nodes:")
    )
    done = load(tmp_path, path)
    assert done.returncode != 0
    assert "number_of_nodes" in done.stderr
