"""GPUs without bf16 hardware: what a plan says of them."""

from contracts.recipe import Recipe
from contracts.request import Language
from engines.sizing.texts import say
from knowledge.devices import Device


def bf16_warnings(device: Device | None, recipe: Recipe, language: Language) -> tuple[str, ...]:
    """Warn where bf16 is planned for a GPU that does not compute it.

    Args:
        device: The GPU, where it is known.
        recipe: The chosen settings.
        language: In which language.
    """
    if device is None or device.bf16_tflops is not None or recipe.param_dtype != "bf16":
        return ()
    return (say("bf16_emulated", language, device=device.name),)


def bf16_assumptions(device: Device | None, recipe: Recipe, language: Language) -> tuple[str, ...]:
    """Name the rate that a speed without bf16 hardware was predicted with."""
    if device is None or device.bf16_tflops is not None or recipe.param_dtype != "bf16":
        return ()
    return (say("bf16_as_fp16", language, device=device.name),)
