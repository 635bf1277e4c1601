"""Options that `plan` and `estimate` have in common."""

from pathlib import Path
from typing import Annotated

import typer

ModelOption = Annotated[str | None, typer.Option(help="Hugging Face folder, its config.json, or a known name.")]
GpusOption = Annotated[int | None, typer.Option(min=1, help="GPUs in all (ranks), over all nodes.")]
GpuOption = Annotated[str | None, typer.Option(help="GPU, such as H100 or A100-40GB; judges whether it fits.")]
SeqLenOption = Annotated[int | None, typer.Option(min=1, help="Tokens per sequence.")]
MicroBatchOption = Annotated[int | None, typer.Option(min=1, help="Sequences per GPU and micro-step.")]
PlotOption = Annotated[Path | None, typer.Option(help="Write a chart, in the form of its suffix: .png, .svg, .pdf.")]
CalibrationOption = Annotated[Path | None, typer.Option(help="Measured peaks to take into account; stored: of trials.")]
MeasuredOption = Annotated[
    float | None, typer.Option(help="Reserved GiB that this run took: added to --calibration, with --source.")
]
FailuresOption = Annotated[
    float | None,
    typer.Option("--gpu-hours-per-failure", min=0.001, help="GPU hours between two failures (a published figure)."),
]
StorageOption = Annotated[
    float | None, typer.Option("--storage", min=0.001, help="GB/s that each machine writes to shared storage.")
]
RestartOption = Annotated[
    float | None, typer.Option("--restart-minutes", min=0, help="Minutes from a failure to a new start.")
]
