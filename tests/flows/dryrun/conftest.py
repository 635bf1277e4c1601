"""Dry runs in a process of their own, replayed by the engine."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from engines.sizing.dryrun import replay_trace
from engines.sizing.dryrun_request import dryrun_settings, inexpressible
from engines.sizing.dryrun_trace import read_trace

MANY = Path(__file__).parent / "many.py"


@pytest.fixture(scope="session")
def run_dry(tmp_path_factory):
    """Return a function: (setup, shape, config or factory settings) of each run -> what each replay found."""
    pytest.importorskip("torch", reason="the dry run is torch's own fully_shard")
    pytest.importorskip("transformers", reason="the models are those of transformers")

    def run(cases):
        folder = tmp_path_factory.mktemp("dryruns")
        jobs = []
        for number, (setup, shape, model) in enumerate(cases):
            assert not inexpressible(setup)
            if "model_type" in model:
                file = folder / f"model-{number}.json"
                file.write_text(json.dumps(model))
                model = {"config": str(file)}
            jobs.append((dryrun_settings(setup, shape) | model, str(folder / f"trace-{number}.jsonl")))
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        done = subprocess.run(
            [sys.executable, str(MANY)],
            input=json.dumps(jobs),
            capture_output=True,
            text=True,
            timeout=1500,
            env=environment,
            cwd=folder,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return [
            replay_trace(read_trace(Path(file)), expandable=setup.expandable_segments)
            for (setup, _, _), (_, file) in zip(cases, jobs, strict=True)
        ]

    return run
