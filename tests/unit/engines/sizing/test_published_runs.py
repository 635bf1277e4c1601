"""The prediction against published runs: the bars that it must stay under."""

import json
import math
from pathlib import Path
from statistics import mean, median

import pytest

from engines.sizing.rows import estimate_row

FILE = Path(__file__).parents[3] / "cases" / "memory" / "published.jsonl"
ROWS = [json.loads(line) for line in FILE.read_text().splitlines()]


@pytest.fixture(scope="module")
def errors():
    """(row, signed error in percent of reserved, else of active memory), each configuration once."""
    found = []
    for row in ROWS:
        if row.get("same_configuration_as"):
            continue
        error = estimate_row(row)["error_pct"]
        if "reserved_gib" in error or "active_gib" in error:
            found.append((row, error.get("reserved_gib", error.get("active_gib"))))
    return found


def sizes(errors, choose):
    return sorted(abs(error) for row, error in errors if choose(row))


def split(row):
    return any((row["mesh"].get(name) or 1) > 1 for name in ("tp", "cp", "pp"))


def test_core_runs_since_october_2024(errors):
    chosen = [(row, error) for row, error in errors if row["core"] and row["date"] >= "2024-10"]
    found = sizes(chosen, lambda row: True)
    assert len(found) >= 11
    assert median(found) <= 1
    assert mean(found) <= 3
    assert found[math.ceil(0.9 * len(found)) - 1] <= 6
    assert min(error for _, error in chosen) >= -7.5


def test_earlier_core_runs(errors):
    assert mean(sizes(errors, lambda row: row["core"] and row["date"] < "2024-10")) <= 6


def test_all_fsdp2_runs_without_float8(errors):
    assert mean(sizes(errors, lambda row: "FSDP2" in row["framework"] and not row.get("float8"))) <= 6


@pytest.mark.parametrize(
    "choose",
    [
        lambda row: bool(row.get("float8")) or split(row) or bool(row["peft"]),
        lambda row: bool(row.get("float8")),
        split,
        lambda row: bool(row["peft"]),
    ],
    ids=["together", "float8", "tensor, context or pipeline parallel", "adapters"],
)
def test_float8_parallel_and_adapter_runs(errors, choose):
    assert mean(sizes(errors, choose)) <= 12


def test_first_step_of_core_runs():
    rows = [row for row in ROWS if row["core"] and "step1_reserved_gib" in row["measured"]]
    assert rows
    assert max(abs(estimate_row(row)["error_pct"]["step1_reserved_gib"]) for row in rows) <= 1
