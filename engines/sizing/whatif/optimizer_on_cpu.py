"""What if the optimizer were on the CPU?"""

from dataclasses import replace

from contracts.whatif import Column, WhatIf
from engines.sizing.setup import DTYPE_BYTES, TrainingSetup
from engines.sizing.shape import ModelShape
from engines.sizing.throughput.traffic import HOST_GB_PER_S, PCIE_GB_PER_S, PCIE_SHARE
from engines.sizing.whatif.case import Case
from engines.sizing.whatif.compare import FIGURES, figures, reserved_chart, row

ASKS = "What if the optimizer were on the CPU?"

PASSES = 7
"""AdamW reads weight, gradient and two moments, and writes all but the gradient."""


def answer(case: Case) -> WhatIf:
    """Compare everything on the GPU, the optimizer on the CPU, and all sharded states there (CPUOffloadPolicy)."""
    inside = figures(case, case.varied(cpu_offload=False))
    offloaded = figures(case, case.varied(cpu_offload=True))
    # Without its state and temporaries: SGD has neither.
    bare = figures(case, case.varied(cpu_offload=False, optimizer="sgd"))
    size = _shard_bytes(case.shape, case.setup)
    copies, host = host_step_s(case.shape, case.setup)
    if bare.step_s is not None and bare.tokens_per_s is not None:
        step = bare.step_s + copies + host
        bare = replace(bare, step_s=step, tokens_per_s=bare.tokens_per_s * bare.step_s / step)
    named = (("all on the GPU", inside), ("optimizer on the CPU", bare), ("CPUOffloadPolicy", offloaded))
    rows = [row("optimizer", label, this, inside.reserved_gib) for label, this in named]
    return WhatIf(
        question="optimizer-on-cpu",
        asks=ASKS,
        model=case.shape.name,
        columns=(Column(name="optimizer"), *FIGURES),
        rows=tuple(rows),
        answer=f"Optimizer state on the CPU saves {inside.active_gib - bare.active_gib:.2f} GiB of allocated and "
        f"{inside.reserved_gib - bare.reserved_gib:.2f} GiB of reserved memory, and takes "
        f"{copies + host:.2f} s more a step; FSDP2's CPUOffloadPolicy moves weights and gradients as well and saves "
        f"{inside.reserved_gib - offloaded.reserved_gib:.2f} GiB.",
        arithmetic=(
            f"gradients down and weights up: 2 x {size / 1e9:.3f} GB / "
            f"{PCIE_GB_PER_S * PCIE_SHARE:g} GB/s = {copies:.3f} s",
            f"AdamW on the CPU: {PASSES} x {size / 1e9:.3f} GB / {HOST_GB_PER_S:g} GB/s = {host:.3f} s",
        ),
        chart=reserved_chart(case, "optimizer"),
        cards=("cpu-offload", "optimizer-step-cpu-bound"),
        assumptions=(
            "FSDP2 has no policy for the optimizer alone: torchao's CPUOffloadOptimizer or a step of one's own does it",
            "PCIe 4.0 x16 and 25 GB/s of host memory for each rank",
        ),
    )


def host_step_s(shape: ModelShape, setup: TrainingSetup) -> tuple[float, float]:
    """Return the seconds that a step takes longer with AdamW on the CPU: copies over PCIe, and the step itself."""
    size = _shard_bytes(shape, setup)
    return 2 * size / (PCIE_GB_PER_S * PCIE_SHARE * 1e9), PASSES * size / (HOST_GB_PER_S * 1e9)


def _shard_bytes(shape: ModelShape, setup: TrainingSetup) -> float:
    return DTYPE_BYTES[setup.master_dtype] * shape.params / setup.shard_ranks / setup.tp
