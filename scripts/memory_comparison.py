"""Writes docs/memory-comparison.md: predictions of several tools beside what was published.

    python scripts/memory_comparison.py            # the page, with the tracker's stored values
    python scripts/memory_comparison.py --track    # runs FSDPMemTracker first (minutes)

`--torch-python PATH` names the interpreter that has torch and transformers.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from statistics import mean, median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from engines.sizing.row_reading import Reading, read_row  # noqa: E402
from engines.sizing.rows import estimate_row  # noqa: E402

Row = dict[str, Any]

ROWS = ROOT / "tests" / "cases" / "memory" / "published.jsonl"
PAGE = ROOT / "docs" / "memory-comparison.md"
TRACKED = ROOT / "docs" / "memory-comparison.json"
TRACKER = ROOT / "scripts" / "track_memory.py"
GIB = 1 << 30

HEAD = """# Predicted peak memory: this agent and other tools

The rows are the published runs whose settings are known in full (`core` in
`tests/cases/memory/published.jsonl`), each configuration once. The measured value is the
reserved memory of a rank in its steady state, in GiB. Every column has the same inputs; a
dash stands where a tool cannot express the run. In brackets: how far off, in percent.
"""

TAIL = """
## What each of them is

- **this agent**: `fsdp-agent estimate --runs`, reserved memory. It never reads what was measured.
- **accelerate**: the formula of `accelerate estimate-memory` for training with Adam in bfloat16
  (`estimate_training_usage` in `accelerate/commands/estimate.py`): the largest of its parts, 8 bytes for
  each parameter. It knows no sharding, no activations and no logits.
- **DeepSpeed**: `estimate_zero3_model_states_mem_needs` of `deepspeed/runtime/zero/stage3.py` without
  offloading: 4 bytes for each parameter of the largest layer, and 18 for each parameter over the ranks. Model
  states alone.
- **FSDPMemTracker**: `torch.distributed._tools.fsdp2_mem_tracker` of torch {torch}, which follows the real
  `fully_shard` on fake tensors: allocated memory, for it has no model of the allocator. The model is
  transformers' Llama; sharding propagation is kept from counting whole tensors (without that it reports more than
  twice as much). It cannot express compiled blocks and FSDP1. `scripts/track_memory.py` makes its values.

`python scripts/memory_comparison.py` writes this page; a test holds it to the code.
"""


def core_rows() -> list[Row]:
    """Return the rows of the comparison."""
    rows = [json.loads(line) for line in ROWS.read_text("utf-8").splitlines()]
    return [
        row
        for row in rows
        if row["core"] and not row.get("same_configuration_as") and "reserved_gib" in row["measured"]
    ]


def accelerate_gib(params: int) -> float:
    """Return what accelerate's formula gives for bfloat16: the largest of weights, gradients, optimizer and step."""
    wide = 4 * params
    return max(wide, wide + wide // 2, 2 * wide) / GIB


def deepspeed_gib(params: int, largest_layer: int, ranks: int) -> float:
    """Return what DeepSpeed's formula for ZeRO-3 without offloading gives."""
    return (4 * largest_layer + int(18 * params / ranks)) / GIB


def reading_of(row: Row) -> Reading:
    """Return a row's inputs, without what was measured."""
    return read_row({name: value for name, value in row.items() if name != "measured"})


def expressible(reading: Reading) -> bool:
    """Tell whether FSDPMemTracker can follow a run."""
    setup = reading.setup
    return setup is not None and setup.fsdp == 2 and not setup.compile and setup.tp * setup.cp * setup.pp == 1


def track(interpreter: str) -> dict[str, Any]:
    """Run the tracker on every row that it can express."""
    found: dict[str, Any] = {"torch": "", "gib": {}}
    for row in core_rows():
        reading = reading_of(row)
        if not expressible(reading):
            continue
        assert reading.shape is not None
        assert reading.setup is not None
        given = {"shape": reading.shape.model_dump(mode="json"), "setup": reading.setup.model_dump(mode="json")}
        command = [interpreter, str(TRACKER), json.dumps(given)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=True)
        answer = json.loads(done.stdout.splitlines()[-1])
        found["gib"][row["id"]] = round(answer["gib"], 3)
        found["torch"] = answer["torch"]
        print(row["id"], answer, file=sys.stderr, flush=True)
    return found


def predictions(row: Row, tracked: dict[str, Any]) -> dict[str, float | None]:
    """Return what each tool says of a row, in GiB."""
    reading = reading_of(row)
    assert reading.shape is not None
    assert reading.setup is not None
    shape = reading.shape
    return {
        "this agent": estimate_row(row)["reserved_gib"],
        "accelerate": accelerate_gib(shape.params),
        "DeepSpeed": deepspeed_gib(shape.params, shape.vocab * shape.hidden, reading.setup.ranks),
        "FSDPMemTracker": tracked["gib"].get(row["id"]),
    }


def page(tracked: dict[str, Any]) -> str:
    """Return the page.

    Args:
        tracked: What the tracker said, as `track` returns it.
    """
    rows = core_rows()
    found = [(row, predictions(row, tracked)) for row in rows]
    tools = list(found[0][1])
    lines = [
        HEAD,
        f"| run | date | GPUs | published | {' | '.join(tools)} |",
        "|---|---|---" + "|---:" * (len(tools) + 1) + "|",
    ]
    for row, said in found:
        truth = row["measured"]["reserved_gib"]
        cells = [_cell(said[tool], truth) for tool in tools]
        lines.append(f"| {_name(row)} | {row['date']} | {row['gpus']} | {truth:.2f} | {' | '.join(cells)} |")
    lines += ["", "## How far off", "", "| tool | rows | mean | median | largest |", "|---|---:|---:|---:|---:|"]
    for tool in tools:
        errors = [
            100 * abs(value / row["measured"]["reserved_gib"] - 1)
            for row, said in found
            if (value := said[tool]) is not None
        ]
        figures = f"{mean(errors):.1f} % | {median(errors):.1f} % | {max(errors):.1f} %"
        lines.append(f"| {tool} | {len(errors)} | {figures} |")
    return "\n".join(lines) + "\n" + TAIL.format(torch=tracked["torch"])


def _cell(value: float | None, truth: float) -> str:
    return "-" if value is None else f"{value:.2f} ({100 * (value / truth - 1):+.1f})"


def _name(row: Row) -> str:
    compiled = ", compiled" if row["compile"] else ""
    kept = "" if not str(row["reshard"]).startswith("never") else ", never resharded"
    tokens = f"{row['local_batch']} x {row['seq_len']}"
    return f"[{row['model']}, {tokens}, checkpointing {row['ac']}{compiled}{kept}]({row['source'].split(' ')[0]})"


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--track", action="store_true", help="run FSDPMemTracker first")
    parser.add_argument("--torch-python", default=sys.executable, help="interpreter that has torch")
    arguments = parser.parse_args()
    if arguments.track:
        TRACKED.write_text(json.dumps(track(arguments.torch_python), indent=1) + "\n", "utf-8")
    PAGE.write_text(page(json.loads(TRACKED.read_text("utf-8"))), "utf-8")


if __name__ == "__main__":
    main()
