"""How long a job is waited for, and how often it is started again, where the request does not say.

The supervisor learns from the run how long a phase takes; what stands here is the floor,
from what is known before the first step: the size of the model and the predicted speed.
"""

from contracts.launch import RestartPolicy, WatchLimits

_RESTARTS = 8
_WEEK_S = 7 * 86400.0
_SLOW_DISK_BYTES_PER_S = 50e6
"""A network file system on a bad day."""
_CHECKPOINT_SHARE = 6.0
"""Bytes of a checkpoint over those of bf16 weights: fp32 weights and two fp32 moments, 12 over 2."""
_STEPS_FOR_A_HANG = 20.0
"""Predicted steps of silence: a prediction may be wrong by some factor, a hang is endless."""
_LEAST_STEP_S, _USUAL_STEP_S = 300.0, 600.0
_BOOT_S, _CHECKPOINT_S = 1800.0, 600.0


def restart_policy(minutes: float | None) -> RestartPolicy:
    """Return the policy of a job that resumes from its own checkpoints.

    Args:
        minutes: Predicted duration in minutes; None where it was not predicted.
    """
    return RestartPolicy(max_restarts=_RESTARTS, give_up_after_s=max(_WEEK_S, 2 * 60 * (minutes or 0.0)))


def watch_limits(model_bytes: int, step_s: float | None) -> WatchLimits:
    """Return the floors of the limits of a training job.

    Args:
        model_bytes: Size of the weight files: they are read at boot, and a checkpoint is
            a multiple of them.
        step_s: Predicted seconds of an optimizer step; None where it was not predicted.
    """
    between_s = _USUAL_STEP_S if step_s is None else max(_LEAST_STEP_S, _STEPS_FOR_A_HANG * step_s)
    reading_s = model_bytes / _SLOW_DISK_BYTES_PER_S
    return WatchLimits(
        boot_s=round(_BOOT_S + reading_s),
        step_s=round(between_s),
        checkpoint_s=round(_CHECKPOINT_S + _CHECKPOINT_SHARE * reading_s),
        eval_s=round(between_s),
    )
