"""The whole way with the real payload: a tiny model on two CPU ranks."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engines.intake.request_file import read_request
from runners import LocalRunner

EXAMPLE = Path(__file__).parents[2] / "examples" / "tiny_sft"

pytestmark = [pytest.mark.train, pytest.mark.timeout(900)]


def test_a_real_job_from_the_request_file_to_the_report(thread: Any, bench: Any, tmp_path: Path) -> None:
    folder = tmp_path / "example"
    folder.mkdir()
    subprocess.run([sys.executable, EXAMPLE / "make.py", folder / "build"], check=True, timeout=300)
    (folder / "request.yaml").write_text((EXAMPLE / "request.yaml").read_text())
    request = read_request(folder / "request.yaml").model_dump(mode="json", exclude_unset=True)
    recipe = request["recipe"] | {"steps": 16, "warmup_steps": 2, "eval_every": 8, "checkpoint_every": 8}
    thread.give(request=request | {"recipe": recipe, "interpreter": sys.executable})
    assert thread.state["phase"] == "awaiting_approval", thread.state.get("error")
    thread.answer(bench.decision(thread.question["launch_hash"]))
    record = bench.wait(thread.question["run_id"])
    assert record.state == "done", record.reason + LocalRunner(bench.home).logs(record.run_id)
    out = thread.answer({"state": "done"})
    report = out["report"]
    # an untrained model over 512 tokens starts near log(512) = 6.24 nats
    assert report["loss_first"] == pytest.approx(6.24, abs=0.5)
    assert report["loss_last"] < report["loss_first"] - 1
    text = Path(report["path"]).read_text()
    assert "/export" in text
    assert Path(report["pictures"][0]).stat().st_size > 5000
    assert list(Path(out["run"]["result"]["export"]).glob("*.safetensors"))
