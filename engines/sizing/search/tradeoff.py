"""What an alternative gives up beside the chosen configuration, and what it wins."""

from contracts.plan import Alternative
from contracts.request import Language
from engines.sizing.closed_form import GIB
from engines.sizing.search.option import Option
from engines.sizing.setup import TrainingSetup
from engines.sizing.shape import ModelShape
from engines.sizing.texts import say

SHOWN = (
    "param_dtype", "ranks", "dp_replicate", "tp", "cp", "micro_batch", "seq_len", "ac", "reshard_after_forward",
    "cpu_offload", "compile", "float8", "loss_impl", "optimizer", "optimizer_impl", "expandable_segments",
)  # fmt: skip
"""Settings that a person can turn, in the order in which they are named."""

CARDS = {
    "param_dtype": "gradscaler-fsdp2",
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


def alternative(shape: ModelShape, option: Option, chosen: Option, language: Language) -> Alternative:
    """Return an option that fits in the form of a plan, compared with the chosen one."""
    different = differences(option.setup, chosen.setup)
    assert option.memory is not None, "an alternative was traced"
    return Alternative(
        settings=different,
        reserved_gib=round(option.memory.reserved_gib, 2),
        fits=True,
        tokens_per_s_per_gpu=round(option.speed.tokens_per_s_per_gpu, 1),
        gives_up=(*_numbers(option, chosen, language), *_costs(shape, option.setup, chosen.setup, language)),
        built_in=option.built_in,
        cards=tuple(CARDS[name] for name in different if name in CARDS),
    )


def differences(setup: TrainingSetup, chosen: TrainingSetup) -> dict[str, str | int | float | bool]:
    """Return the settings of one configuration that are not those of another."""
    different = {name: getattr(setup, name) for name in SHOWN if getattr(setup, name) != getattr(chosen, name)}
    if setup.shard_ranks == 1:
        different.pop("reshard_after_forward", None)  # nothing is gathered, so nothing can be given up
    return different


def line(other: Alternative, language: Language) -> str:
    """Return an alternative on one line for a person."""
    return say(
        "alternative",
        language,
        settings=", ".join(f"{name}={value}" for name, value in other.settings.items()),
        own="" if other.built_in else say("own_script", language),
        peak=other.reserved_gib,
        judged=say("fits" if other.fits else "does_not_fit", language),
        speed=other.tokens_per_s_per_gpu,
        gives_up="; ".join(other.gives_up),
    )


def _numbers(option: Option, chosen: Option, language: Language) -> list[str]:
    assert option.memory is not None
    assert chosen.memory is not None
    speed = option.speed.tokens_per_s_per_gpu / chosen.speed.tokens_per_s_per_gpu - 1
    memory = option.memory.reserved_gib - chosen.memory.reserved_gib
    said = []
    if abs(speed) >= 0.005:
        said.append(say("faster" if speed > 0 else "slower", language, share=abs(speed)))
    if abs(memory) >= 0.05:
        said.append(say("gib_more" if memory > 0 else "gib_less", language, gib=abs(memory)))
    return said


def _costs(shape: ModelShape, setup: TrainingSetup, chosen: TrainingSetup, language: Language) -> list[str]:
    """Name what a setting costs that no number above tells."""
    values = {
        "gathered": setup.act_bytes * shape.params / setup.tp / GIB,  # tensor parallelism leaves a rank its part
        "copies": setup.dp_replicate,
        "sequences": setup.micro_batch * _replicas(setup),
        "chosen": chosen.micro_batch * _replicas(chosen),
        "ranks": setup.ranks,
    }
    costs = {
        "param_dtype": "cost_fp16" if setup.param_dtype == "fp16" else "",
        "ac": f"cost_ac_{setup.ac}",
        "reshard_after_forward": "" if setup.reshard_after_forward else "cost_gathered",
        "cpu_offload": "cost_offload" if setup.cpu_offload else "",
        "dp_replicate": "cost_replicas" if setup.dp_replicate > 1 else "",
        "tp": "cost_tp" if setup.tp > 1 else "",
        "cp": "cost_cp" if setup.cp > 1 else "",
        "compile": "cost_compile" if setup.compile else "",
        "float8": "cost_float8" if setup.float8 != "none" else "",
        "loss_impl": "cost_fused_loss" if setup.loss_impl == "fused_linear" else "",
        "micro_batch": "cost_batch" if values["sequences"] != values["chosen"] else "",
        "ranks": "cost_ranks",
    }
    named = (costs.get(name, "") for name in differences(setup, chosen))
    return [say(key, language, **values) for key in named if key]


def _replicas(setup: TrainingSetup) -> int:
    """Return the groups of ranks that see sequences of their own."""
    return setup.dp_shard * setup.dp_replicate * setup.grad_accum
