"""The page that compares predictions: it is what its script writes, and its formulas are those of the tools."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("memory_comparison", ROOT / "scripts" / "memory_comparison.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_script_writes(script):
    tracked = json.loads(script.TRACKED.read_text())
    assert script.PAGE.read_text() == script.page(tracked), "run python scripts/memory_comparison.py"


def test_every_row_that_the_tracker_can_express_has_its_value(script):
    tracked = json.loads(script.TRACKED.read_text())["gib"]
    assert set(tracked) == {row["id"] for row in script.core_rows() if script.expressible(script.reading_of(row))}


def test_accelerates_formula_is_accelerates(script):
    pytest.importorskip("accelerate", reason="the formula under test is its own")
    # in a process of its own, for it imports torch
    code = "from accelerate.commands.estimate import estimate_training_usage as use"
    code += "; print(max(use(4 * 8030261248, 'bfloat16').values()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert script.accelerate_gib(8_030_261_248) * 2**30 == int(done.stdout)


def test_deepspeeds_formula_by_hand(script):
    # 18 bytes of each of 8e9 parameters over 8 ranks, 4 bytes of each of the largest layer's 5e8
    assert script.deepspeed_gib(8_000_000_000, 500_000_000, 8) * 2**30 == 18e9 + 2e9


@pytest.mark.slow
def test_the_tracker_says_again_what_is_stored(script):
    pytest.importorskip("transformers", reason="the tracker follows transformers' model")
    stored = json.loads(script.TRACKED.read_text())
    reading = script.reading_of(next(row for row in script.core_rows() if row["id"] == "tt165-fsdp2-ac"))
    given = {"shape": reading.shape.model_dump(mode="json"), "setup": reading.setup.model_dump(mode="json")}
    command = [sys.executable, str(script.TRACKER), json.dumps(given)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["gib"] == pytest.approx(stored["gib"]["tt165-fsdp2-ac"], rel=0.02)
