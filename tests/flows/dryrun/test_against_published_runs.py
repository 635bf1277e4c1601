"""The dry run against published measurements of GPUs, where today's torch can still run the configuration."""

import json
from pathlib import Path
from statistics import mean

import pytest

from engines.sizing.row_reading import read_row

HERE = Path(__file__).parent
ROWS = Path(__file__).parents[2] / "cases" / "memory" / "published.jsonl"
GIB = 1 << 30

FACTORY = {"factory": "pretraining_llama:build", "folder": str(HERE)}


def expressible(row):
    """Eager FSDP2 runs of Llama-3-8B since fully_shard has its present buffers."""
    core = row["core"] and row["date"] >= "2024-10" and not row.get("same_configuration_as")
    return core and not row["compile"] and "FSDP2" in row["framework"] and "reserved_gib" in row["measured"]


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_reserved_memory_of_published_core_runs(run_dry):
    rows = [row for row in map(json.loads, ROWS.read_text().splitlines()) if expressible(row)]
    assert len(rows) >= 8
    readings = [read_row({name: value for name, value in row.items() if name != "measured"}) for row in rows]
    assert {reading.shape.params for reading in readings} == {8_030_261_248}
    found = run_dry([(reading.setup, None, FACTORY) for reading in readings])
    errors = {}
    for row, dry in zip(rows, found, strict=True):
        truth = row["measured"]["reserved_gib"]
        errors[row["id"]] = 100 * (dry.reserved / GIB - truth) / truth
    print(errors)
    assert mean(abs(error) for error in errors.values()) <= 2.5, errors
    # the first step as well, where it was published
    first = [
        abs(dry.first_step / GIB / row["measured"]["step1_reserved_gib"] - 1)
        for row, dry in zip(rows, found, strict=True)
        if "step1_reserved_gib" in row["measured"]
    ]
    assert first
    assert max(first) <= 0.025
