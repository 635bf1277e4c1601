"""GPUs without bf16 hardware: what a plan says of them."""

from contracts.recipe import Recipe
from knowledge.devices import Device


def bf16_warnings(device: Device | None, recipe: Recipe) -> tuple[str, ...]:
    """Warn where bf16 is planned for a GPU that does not compute it.

    Args:
        device: The GPU, where it is known.
        recipe: The chosen settings.
    """
    if device is None or device.bf16_tflops is not None or recipe.param_dtype != "bf16":
        return ()
    return (
        f"{device.name} has no bf16 hardware (that takes compute capability 8.0, Ampere or newer): torch emulates bf16 "
        "there, slowly, and flash attention does not run. Plan with param_dtype fp32 (--precision fp32), or train in "
        "fp16 with a gradient scaler by a script of your own",
    )


def bf16_assumptions(device: Device | None, recipe: Recipe) -> tuple[str, ...]:
    """Name the rate that a speed without bf16 hardware was predicted with."""
    if device is None or device.bf16_tflops is not None or recipe.param_dtype != "bf16":
        return ()
    return (f"{device.name}: memory as with fp16, which takes as much; speed as with fp16 on its tensor cores",)
