"""What a job takes, what it may not exceed, when it is started again and when it counts as hung, for a person."""

from contracts.launch import LaunchResources, ResourceLimits, RestartPolicy, WatchLimits
from interfaces.cli.text import counted

_UNITS = ((86400, "d"), (3600, "h"), (60, "min"))


def duration(seconds: float) -> str:
    """Return a duration in the largest unit that divides it, else in seconds: `30 min`, `90 s`."""
    for size_s, name in _UNITS:
        if seconds >= size_s and seconds % size_s == 0:
            return f"{seconds // size_s:.0f} {name}"
    return f"{seconds:.3g} s" if seconds < 1000 else f"{seconds:.0f} s"


def taken_text(resources: LaunchResources) -> str:
    """Return what a launch takes of a machine in one line: runs that take more than there is wait."""
    ranks = resources.ranks_per_node
    cores = ranks if resources.cores_per_node is None else resources.cores_per_node
    gpus = resources.gpus_per_node
    if gpus is None:
        gpus = ranks if resources.device == "cuda" else 0
    return f"{counted(cores, 'core')}" + (f" and {counted(gpus, 'GPU')}" if gpus else "")


def limits_text(limits: ResourceLimits) -> str:
    """Return what a job may not exceed in one line; empty where nothing but its logs is limited."""
    named = (
        ("memory of a process {:g} GiB", limits.memory_gib),
        ("a file {:g} GiB", limits.file_gib),
        ("{} processes", limits.processes),
    )
    return ", ".join(text.format(value) for text, value in named if value is not None)


def restart_text(policy: RestartPolicy) -> str:
    """Return a restart policy in one line."""
    if policy.max_restarts == 0:
        return "never by itself"
    within = "" if policy.give_up_after_s is None else f" within {duration(policy.give_up_after_s)}"
    pauses = f"{duration(policy.backoff_s)} to {duration(policy.backoff_limit_s)}"
    return f"up to {policy.max_restarts} times{within}, {pauses} apart; not after the same error at the same step"


def watch_text(limits: WatchLimits) -> str:
    """Return when a job counts as hung in one line."""
    named = (
        ("boot", limits.boot_s),
        ("step", limits.step_s),
        ("checkpoint", limits.checkpoint_s),
        ("eval", limits.eval_s),
    )
    phases = ", ".join(f"{name} {duration(seconds)}" for name, seconds in named)
    log = "" if limits.log_s is None else f"; without heartbeats {duration(limits.log_s)} of silent logs"
    return f"no sign of life for: {phases}; or {limits.factor:g} times the longest seen{log}"
