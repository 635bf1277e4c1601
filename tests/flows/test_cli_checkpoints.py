"""`jobs checkpoints` on a run of the runner, by the real command line."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from tests.job_shop import JobShop, shop

__all__ = ["shop"]

CLI = str(Path(sys.executable).parent / "fsdp-agent")
SCHEMA = Path(__file__).parents[2] / "docs" / "schemas" / "jobs-checkpoints.schema.json"

SAVER = """
import hashlib, json, os, pathlib
for step in (10, 20):
    folder = pathlib.Path(os.environ["FSDP_RUN_DIR"], "ckpt", f"step-{step:08d}")
    folder.mkdir(parents=True)
    files = {".metadata": b"m", "__0_0.distcp": b"weights"}
    for name, body in files.items():
        (folder / name).write_bytes(body)
    entries = {n: {"size_bytes": len(b), "sha256": hashlib.sha256(b).hexdigest()} for n, b in files.items()}
    (folder / "manifest.json").write_text(json.dumps({"files": entries, "step": step, "world_size": 1}))
"""


def cli(jobs: JobShop, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [CLI, "jobs", "checkpoints", *words, "--home", str(jobs.home.root)], capture_output=True, text=True, timeout=120
    )


@pytest.fixture
def run_id(shop: JobShop) -> str:
    record = shop.submit(shop.launch(SAVER))
    assert shop.wait(record.run_id).state == "done"
    return record.run_id


def test_lists_and_verifies(shop: JobShop, run_id: str) -> None:
    told = cli(shop, run_id, "--json")
    assert told.returncode == 0, told.stderr
    answer = json.loads(told.stdout)
    jsonschema.validate(answer, json.loads(SCHEMA.read_text()))
    assert [(found["step"], found["verdict"]) for found in answer["checkpoints"]] == [
        (20, "complete"),
        (10, "complete"),
    ]
    newest = shop.run_dir(run_id) / "ckpt" / "step-00000020" / "__0_0.distcp"
    assert hashlib.sha256(newest.read_bytes()).hexdigest() == hashlib.sha256(b"weights").hexdigest()
    newest.write_bytes(b"weightS")
    told = cli(shop, run_id, "--verify", "--json")
    assert told.returncode == 0
    found = json.loads(told.stdout)
    assert found["bytes_read"]
    assert [entry["verdict"] for entry in found["checkpoints"]] == ["unverified", "verified"]
    (shop.run_dir(run_id) / "ckpt" / "step-00000010" / "manifest.json").unlink()
    told = cli(shop, run_id, "--verify")
    assert told.returncode == 1  # there are some, and none can be trusted
    assert "differs from its SHA-256" in told.stdout


def test_none_and_unknown(shop: JobShop) -> None:
    record = shop.submit(shop.launch("pass"))
    shop.wait(record.run_id)
    assert (cli(shop, record.run_id).returncode, cli(shop, record.run_id).stdout) == (
        0,
        f"{record.run_id} has no checkpoints\n",
    )
    assert cli(shop, "r-0123456789ab").returncode == 2
