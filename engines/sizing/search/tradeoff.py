"""What an alternative gives up beside the chosen configuration, and what it wins."""

from contracts.plan import Alternative
from engines.sizing.closed_form import GIB
from engines.sizing.search.option import Option
from engines.sizing.setup import TrainingSetup
from engines.sizing.shape import ModelShape

SHOWN = (
    "ranks", "dp_replicate", "tp", "cp", "micro_batch", "seq_len", "ac", "reshard_after_forward", "cpu_offload",
    "compile", "float8", "loss_impl", "optimizer", "optimizer_impl", "expandable_segments",
)  # fmt: skip
"""Settings that a person can turn, in the order in which they are named."""

CARDS = {
    "dp_replicate": "hsdp-or-full-sharding",
    "tp": "tensor-parallel-or-fsdp",
    "cp": "context-parallel-and-fsdp",
    "ac": "activation-checkpointing",
    "reshard_after_forward": "reshard-after-forward-values",
    "cpu_offload": "cpu-offload",
    "compile": "compile-order",
    "float8": "fp8-all-gather",
    "loss_impl": "logits-fp32-spike",
    "optimizer": "optimizer-bytes",
    "optimizer_impl": "foreach-optimizer-peak",
    "expandable_segments": "allocator-fragmentation",
    "micro_batch": "global-batch-size-fsdp",
    "ranks": "how-many-gpus",
}
"""The card behind each setting."""


def alternative(shape: ModelShape, option: Option, chosen: Option, fits: bool = True) -> Alternative:
    """Return an option in the form of a plan, compared with the chosen one."""
    different = differences(option.setup, chosen.setup)
    assert option.memory is not None, "an alternative was traced"
    return Alternative(
        settings=different,
        reserved_gib=round(option.memory.reserved_gib, 2),
        fits=fits,
        tokens_per_s_per_gpu=round(option.speed.tokens_per_s_per_gpu, 1),
        gives_up=(*_numbers(option, chosen), *_costs(shape, option.setup, chosen.setup)),
        built_in=option.built_in,
        cards=tuple(CARDS[name] for name in different if name in CARDS),
    )


def differences(setup: TrainingSetup, chosen: TrainingSetup) -> dict[str, str | int | float | bool]:
    """Return the settings of one configuration that are not those of another."""
    return {name: getattr(setup, name) for name in SHOWN if getattr(setup, name) != getattr(chosen, name)}


def line(other: Alternative) -> str:
    """Return an alternative on one line for a person."""
    settings = ", ".join(f"{name}={value}" for name, value in other.settings.items())
    runs = "" if other.built_in else " (a script of your own)"
    judged = "fits" if other.fits else "does not fit"
    return (
        f"{settings}{runs}: {other.reserved_gib:.2f} GiB reserved, {judged}, "
        f"{other.tokens_per_s_per_gpu:,.0f} tokens/s per GPU; {'; '.join(other.gives_up)}"
    )


def _numbers(option: Option, chosen: Option) -> list[str]:
    assert option.memory is not None
    assert chosen.memory is not None
    speed = option.speed.tokens_per_s_per_gpu / chosen.speed.tokens_per_s_per_gpu - 1
    memory = option.memory.reserved_gib - chosen.memory.reserved_gib
    said = []
    if abs(speed) >= 0.005:
        said.append(f"{abs(speed):.1%} {'faster' if speed > 0 else 'slower'}")
    if abs(memory) >= 0.05:
        said.append(f"{abs(memory):.1f} GiB {'more' if memory > 0 else 'less'}")
    return said


def _costs(shape: ModelShape, setup: TrainingSetup, chosen: TrainingSetup) -> list[str]:
    """Name what a setting costs that no number above tells."""
    gathered = setup.act_bytes * shape.params / GIB
    sentences = {
        "ac": {
            "full": "each block's forward runs twice",
            "selective_op": "a policy chooses what is kept",
            "every_k": "one block in two runs its forward twice",
            "none": "every activation is kept",
        }.get(setup.ac, ""),
        "reshard_after_forward": ""
        if setup.reshard_after_forward
        else f"{gathered:.1f} GiB of gathered parameters stay through the step",
        "cpu_offload": "parameters and gradients cross PCIe and the optimizer runs on the CPU"
        if setup.cpu_offload
        else "",
        "dp_replicate": f"each state is held {setup.dp_replicate} times" if setup.dp_replicate > 1 else "",
        "tp": "four collectives in every block wait, and the model's code needs a plan for it" if setup.tp > 1 else "",
        "cp": "attention in a ring over ranks; each sequence is split" if setup.cp > 1 else "",
        "compile": "minutes of compilation, and code that it can trace" if setup.compile else "",
        "float8": "float8 products: a loss curve to compare" if setup.float8 != "none" else "",
        "loss_impl": "head and loss in one kernel (Liger, Cut Cross Entropy)"
        if setup.loss_impl == "fused_linear"
        else "",
        "micro_batch": f"a global batch of {setup.micro_batch * _replicas(setup)} sequences instead of "
        f"{chosen.micro_batch * _replicas(chosen)}",
        "ranks": f"{setup.ranks} GPUs",
    }
    return [sentences[name] for name in differences(setup, chosen) if sentences.get(name)]


def _replicas(setup: TrainingSetup) -> int:
    """Return the groups of ranks that see sequences of their own."""
    return setup.dp_shard * setup.dp_replicate * setup.grad_accum
