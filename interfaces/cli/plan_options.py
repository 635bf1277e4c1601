"""Options of `plan` that run or compare something."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from interfaces.cli.usage_words import whole_number


class Place(StrEnum):
    """Device of the ranks."""

    cuda = "cuda"
    cpu = "cpu"


class PlannedOptimizer(StrEnum):
    """Optimizers whose state the memory model knows."""

    adamw = "adamw"
    adamw_8bit = "adamw_8bit"
    adafactor = "adafactor"
    muon = "muon"
    sgd = "sgd"
    sgd_momentum = "sgd_momentum"


DeviceOption = Annotated[Place | None, typer.Option(help="Device of the ranks; cpu for trials without a GPU.")]
GpuMemoryOption = Annotated[
    float | None, typer.Option(min=1, max=10_000, help="Memory of a GPU in GB as the vendor states it.")
]
TokensOption = Annotated[
    int | None,
    typer.Option(
        parser=whole_number, metavar="INTEGER", help="Tokens to train on in all, for time and cost; 1e9 is understood."
    ),
]
OptimizerOption = Annotated[
    PlannedOptimizer | None, typer.Option(help="Optimizer; the built-in recipe has adamw, others take your own script.")
]
VaryOption = Annotated[
    str | None, typer.Option(metavar="KEY=A,B,C", help="A table of predictions for each value of one setting.")
]
DryRunPlanFlag = Annotated[
    bool, typer.Option("--dry-run", help="Verify the chosen configuration with fully_shard on tensors without memory.")
]
TrialsOption = Annotated[
    int | None,
    typer.Option(
        min=1, max=8, help="Run the K best configurations for a few steps each, once a person has approved it."
    ),
]
StoreFlag = Annotated[
    bool, typer.Option("--store-calibration", help="With --trials: keep what was measured for later predictions.")
]
DataOption = Annotated[
    Path | None, typer.Option(help="JSONL file for --trials; made-up sentences of full length where absent.")
]
PlanCalibrationOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|stored", help="Measured peaks to take into account; stored: what --store-calibration kept."
    ),
]
FollowOption = Annotated[
    bool | None, typer.Option(help="With --trials: watch the run to its end; the default in a terminal.")
]
