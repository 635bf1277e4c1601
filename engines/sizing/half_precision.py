"""GPUs without bf16 hardware: a plan for them computes in fp32, and knows what fp16 would take.

torch lets bf16 be used there all the same (`torch.cuda.is_bf16_supported` counts emulation in),
so nothing but the plan tells that it is slow. In fp16 gradients need a scaler, which the
built-in recipe does not have: it is an alternative for a script of one's own.
"""

from typing import Any

from contracts.recipe import Recipe
from contracts.request import Language, Request
from engines.sizing.setup import TrainingSetup
from engines.sizing.texts import say
from knowledge.devices import Device


def without_bf16(device: Device | None) -> bool:
    """Tell whether a GPU is known to have no bf16 hardware."""
    return device is not None and device.bf16_tflops is None


def recipe_for(device: Device | None, request: Request) -> Recipe:
    """Return the recipe to begin with: in fp32 where the GPU has no bf16 hardware and no dtype was stated.

    Adapters are trained by a script of one's own, whose frozen base stays in 16 bits.

    Args:
        device: The GPU, where it is known.
        request: What was asked.
    """
    stated = "param_dtype" in request.recipe.model_fields_set
    if stated or not _wants_fp32(device, adapters=request.method in ("lora", "qlora")):
        return request.recipe
    return request.recipe.model_copy(update={"param_dtype": "fp32"})


def settings_for(device: Device | None, settings: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return settings with the dtype that a plan for this GPU begins with, where they state none.

    Args:
        device: The GPU, where it is known.
        settings: Fields of a `TrainingSetup`.

    Returns:
        The settings, and what is assumed of the dtype or warned of it.
    """
    if device is None or not without_bf16(device):
        return settings, ()
    if settings.get("param_dtype") == "bf16":
        return settings, (say("bf16_emulated", "en", device=device.name),)
    if "param_dtype" in settings or not _wants_fp32(device, adapters=bool(settings.get("lora_rank"))):
        return settings, ()
    rate = device.fp32_tflops or 0.0
    return settings | {"param_dtype": "fp32"}, (say("fp32_assumed", "en", device=device.name, tflops=rate),)


def _wants_fp32(device: Device | None, *, adapters: bool) -> bool:
    """Tell whether training without a stated dtype is to compute in fp32 on a GPU."""
    return without_bf16(device) and not adapters


def in_fp16(device: Device | None, base: TrainingSetup, request: Request) -> tuple[TrainingSetup, ...]:
    """Return the same settings in fp16, where fp32 was chosen for want of bf16 hardware; else nothing."""
    if base.param_dtype != "fp32" or not without_bf16(device) or "param_dtype" in request.recipe.model_fields_set:
        return ()
    return (base.model_copy(update={"param_dtype": "fp16"}),)


def bf16_warnings(device: Device | None, recipe: Recipe, language: Language) -> tuple[str, ...]:
    """Warn where bf16 is planned for a GPU that does not compute it.

    Args:
        device: The GPU, where it is known.
        recipe: The chosen settings.
        language: In which language.
    """
    if device is None or not without_bf16(device) or recipe.param_dtype != "bf16":
        return ()
    return (say("bf16_emulated", language, device=device.name),)


def bf16_assumptions(device: Device | None, recipe: Recipe, language: Language) -> tuple[str, ...]:
    """Name the rate that a speed without bf16 hardware was predicted with."""
    if device is None or not without_bf16(device) or recipe.param_dtype != "bf16":
        return ()
    return (say("bf16_as_fp16", language, device=device.name),)
