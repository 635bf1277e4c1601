"""Space: the knobs of a plan, and the configurations that they make."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from contracts.errors import RequestInvalid
from engines.sizing.setup import TrainingSetup, make_setup
from engines.sizing.shape import ModelShape
from knowledge.devices import Device

Axes = Mapping[str, Sequence[Any]]
"""Values to try for each field of a TrainingSetup."""

MICRO_BATCHES = (1, 2, 4, 8, 16, 32, 64)
"""Sequences of a rank that are tried."""

SEQUENCES = tuple(1024 * k for k in (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024))
"""Lengths in tokens that are tried for the longest sequence."""

LONG_SEQUENCE = 16384
"""Tokens from which on context parallelism is worth a look."""

_FLOAT8_TFLOPS = 750
"""bf16 peak in TFLOP/s from which on a data centre GPU multiplies in float8 as well (Hopper, MI300)."""


def recipe_axes(ranks: int, per_node: int) -> dict[str, Sequence[Any]]:
    """Return the knobs that the built-in recipe has, and their values.

    Args:
        ranks: Ranks in all.
        per_node: Ranks of one machine.
    """
    return {
        "ac": ("none", "full"),
        "reshard_after_forward": (True, False),
        "cpu_offload": (False, True),
        "dp_replicate": replicas(ranks, per_node),
        "micro_batch": MICRO_BATCHES,
    }


THRIFTY: dict[str, Any] = {"optimizer_impl": "fused", "expandable_segments": True}
"""What a script of one's own should have anyway: AdamW(fused=True) makes no temporaries of the
parameters' size, and expandable segments leave fewer holes."""


def all_axes(shape: ModelShape, ranks: int, per_node: int, seq_len: int, device: Device) -> dict[str, Sequence[Any]]:
    """Return every knob that the memory and the speed model know, and its values."""
    axes = recipe_axes(ranks, per_node)
    axes["ac"] = ("none", "selective_op", "every_k", "full")
    axes["compile"] = (False, True)
    axes["tp"] = tuple(n for n in (1, 2, 4, 8) if ranks % n == 0 and n <= per_node and shape.kv_heads % n == 0)
    if seq_len >= LONG_SEQUENCE:
        axes["cp"] = tuple(n for n in (1, 2, 4, 8) if ranks % n == 0)
        axes["micro_batch"] = (1, 2, 4)
        axes["reshard_after_forward"] = (True,)
        axes["loss_impl"] = ("fp32_copy", "fused_linear")
    if (device.bf16_tflops or 0) >= _FLOAT8_TFLOPS and seq_len < LONG_SEQUENCE:
        axes["float8"] = ("none", "tensorwise")
        axes["reshard_after_forward"] = (True,)
    return axes


def replicas(ranks: int, per_node: int) -> tuple[int, ...]:
    """Return the numbers of replicas that leave each within whole machines (HSDP)."""
    nodes = max(1, ranks // per_node)
    return tuple(
        n for n in range(1, nodes + 1) if nodes % n == 0 and ranks % n == 0 and (n & (n - 1) == 0 or n == nodes)
    )


def configurations(base: Mapping[str, Any], axes: Axes) -> Iterator[tuple[dict[str, Any], TrainingSetup]]:
    """Yield every valid combination, with the settings in which it differs from the base.

    Args:
        base: Settings that all of them share.
        axes: Values to try.
    """
    names = list(axes)
    for values in product(*axes.values()):
        changes = dict(zip(names, values, strict=True))
        if not _sensible(changes):
            continue
        try:
            yield changes, make_setup(**(dict(base) | changes | _follow(changes)))
        except RequestInvalid:
            continue  # a mesh that does not multiply, a sequence that does not divide


def _sensible(changes: Mapping[str, Any]) -> bool:
    """Tell whether settings go together; what is never better than its neighbour is left out."""
    if changes.get("cpu_offload") and (not changes.get("reshard_after_forward", True) or changes.get("ac") == "none"):
        return False
    if changes.get("ranks", 2) == 1 and not changes.get("reshard_after_forward", True):
        return False  # one rank gathers nothing
    if changes.get("float8", "none") != "none" and not changes.get("compile"):
        return False  # without compile every cast is a kernel of its own
    return not (changes.get("tp", 1) > 1 and changes.get("cp", 1) > 1 and changes.get("cpu_offload"))


def _follow(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that follow from the chosen ones."""
    more: dict[str, Any] = {}
    if changes.get("ac") == "every_k":
        more["ac_every"] = 2
    if "reshard_after_forward" in changes:
        more["reshard_last"] = changes["reshard_after_forward"]
    if changes.get("float8", "none") != "none":
        more["float8_all_gather"] = True
    return more
