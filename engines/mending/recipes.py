"""Mends of the built-in job: its settings, its environment, where it starts from."""

from typing import Any

from contracts.wording import told
from engines.mending.phrases import COSTS, WHY
from engines.mending.situation import Mend, Situation


def smaller_micro_batch(situation: Situation) -> Mend | None:
    """Halve the micro-batch and double the accumulation: a step sees as many tokens as before."""
    recipe = situation.recipe
    if situation.script or recipe.micro_batch < 2 or recipe.micro_batch % 2:
        return None
    micro, accumulated = recipe.micro_batch // 2, recipe.grad_accum * 2
    told_of = {"micro": micro, "before": recipe.micro_batch, "accumulated": accumulated, "once": recipe.grad_accum}
    why = told(WHY, "smaller_micro_batch", situation.language, **told_of)
    settings = {"recipe.micro_batch": micro, "recipe.grad_accum": accumulated}
    return Mend("recipe", why, settings=settings, costs=told(COSTS, "small_matrices", situation.language))


def recompute_activations(situation: Situation) -> Mend | None:
    """Recompute every block in the backward instead of keeping what it computed."""
    if situation.script or situation.recipe.activation_checkpointing == "full":
        return None
    why = told(WHY, "recompute", situation.language)
    settings = {"recipe.activation_checkpointing": "full"}
    return Mend("recipe", why, settings=settings, costs=told(COSTS, "third_more", situation.language))


def reshard_after_forward(situation: Situation) -> Mend | None:
    """Free the gathered weights of a block between forward and backward."""
    if situation.script or situation.recipe.reshard_after_forward:
        return None
    why = told(WHY, "reshard", situation.language)
    return Mend(
        "recipe",
        why,
        settings={"recipe.reshard_after_forward": True},
        costs=told(COSTS, "all_gather", situation.language),
    )


def offload(situation: Situation) -> Mend | None:
    """Keep the shards in host memory."""
    if situation.script or situation.recipe.cpu_offload or situation.request.hardware.device != "cuda":
        return None
    why = told(WHY, "offload", situation.language)
    return Mend("recipe", why, settings={"recipe.cpu_offload": True}, costs=told(COSTS, "copies", situation.language))


def saving_in_place(situation: Situation) -> Mend | None:
    """Write checkpoints while the training waits, which takes no second copy in host memory."""
    if situation.script or not situation.recipe.async_checkpoints:
        return None
    why = told(WHY, "in_place", situation.language)
    return Mend(
        "recipe",
        why,
        settings={"recipe.async_checkpoints": False},
        costs=told(COSTS, "waits_saving", situation.language),
    )


def growing_segments(situation: Situation) -> Mend | None:
    """Let the allocator grow its segments instead of adding others."""
    if situation.request.hardware.device != "cuda":
        return None
    # read by every torch, also by those that know the newer name without CUDA in it
    why = told(WHY, "segments", situation.language)
    return Mend("launch", why, settings={"env.PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"})


def lower_rate(situation: Situation) -> Mend | None:
    """Take a tenth of the learning rate, warmed up and clipped, from before the first step that went wrong."""
    recipe = situation.recipe
    if situation.script:
        return None
    lower = float(f"{recipe.lr / 10:.6g}")
    settings: dict[str, Any] = {"recipe.lr": lower}
    parts = [f"learning rate {lower:g} instead of {recipe.lr:g}"]
    if recipe.max_grad_norm == 0:
        settings["recipe.max_grad_norm"] = 1.0
        parts.append("gradients clipped to a norm of 1")
    warmup = min(max(recipe.steps // 10, 1), recipe.steps - 1)
    if recipe.warmup_steps < warmup:
        settings["recipe.warmup_steps"] = warmup
        parts.append(f"{warmup} steps of warm-up instead of {recipe.warmup_steps}")
    why = f"loss or gradient left the finite numbers: {', '.join(parts)}"
    return Mend(
        "recipe",
        why,
        settings=settings,
        costs=told(COSTS, "slow_learning", situation.language),
        resume="before_trouble",
    )


def fewer_checkpoints(situation: Situation) -> Mend | None:
    """Keep two checkpoints, the fewest that are safe."""
    if situation.script or situation.recipe.keep_checkpoints <= 2:
        return None
    why = told(WHY, "fewer_checkpoints", situation.language, before=situation.recipe.keep_checkpoints)
    return Mend("recipe", why, settings={"recipe.keep_checkpoints": 2})


def room_for_files(situation: Situation) -> Mend | None:
    """Raise a limit on the size of files that no checkpoint of this model fits in."""
    limits = situation.request.limits
    if situation.script or limits is None or limits.file_gib is None or not situation.weights_bytes:
        return None
    # fp32 weights and two fp32 moments: 12 bytes for a parameter, which takes 2 at least in its file
    needed_gib = round(_CHECKPOINT_SHARE * situation.weights_bytes / 2**30 + limits.log_gib, 3)
    if needed_gib <= limits.file_gib:
        return None
    why = (
        f"a checkpoint of this model is larger than the {limits.file_gib:g} GiB that a file may have: "
        f"the limit is {needed_gib:g} GiB"
    )
    return Mend(
        "launch", why, settings={"limits.file_gib": needed_gib}, costs=told(COSTS, "more_disk", situation.language)
    )


_CHECKPOINT_SHARE = 6.0


def started_by_torchrun(situation: Situation) -> Mend | None:
    """Let torchrun start the ranks of a script that was run as it is."""
    script = situation.request.script
    if script is None or script.launcher != "direct" or not any(name in situation.log for name in _LAUNCHERS):
        return None
    why = told(WHY, "torchrun", situation.language)
    settings: dict[str, Any] = {"script.launcher": "torchrun", "script.launcher_args": []}
    return Mend("launch", why, settings=settings)


_LAUNCHERS = (
    "rank expected",
    "world_size expected",
    "master_addr expected",
    "master_port expected",
    "local_rank",
    "'rank'",
)
"""What is missing where no launcher set it; another variable cannot be invented."""
