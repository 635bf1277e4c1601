"""What a job takes, what it may not exceed, when it is started again and when it counts as hung, for a person."""

from contracts.launch import LaunchResources, ResourceLimits, RestartPolicy, WatchLimits
from contracts.request import Language
from interfaces.cli.words import word

_UNITS = ((86400, "d"), (3600, "h"), (60, "min"))


def duration(seconds: float) -> str:
    """Return a duration in the largest unit that divides it, else in seconds: `30 min`, `90 s`."""
    for size_s, name in _UNITS:
        if seconds >= size_s and seconds % size_s == 0:
            return f"{seconds // size_s:.0f} {name}"
    return f"{seconds:.3g} s" if seconds < 1000 else f"{seconds:.0f} s"


def taken_text(resources: LaunchResources, language: Language = "en") -> str:
    """Return what a launch takes of a machine in one line: runs that take more than there is wait."""
    ranks = resources.ranks_per_node
    cores = ranks if resources.cores_per_node is None else resources.cores_per_node
    gpus = resources.gpus_per_node
    if gpus is None:
        gpus = ranks if resources.device == "cuda" else 0
    taken = word("core" if cores == 1 else "cores", language, n=cores)
    return taken + (word("and_gpu" if gpus == 1 else "and_gpus", language, n=gpus) if gpus else "")


def limits_text(limits: ResourceLimits, language: Language = "en") -> str:
    """Return what a job may not exceed in one line; empty where nothing but its logs is limited."""
    named = (
        ("limit_memory", limits.memory_gib),
        ("limit_file", limits.file_gib),
        ("limit_processes", limits.processes),
    )
    return ", ".join(word(key, language, n=value) for key, value in named if value is not None)


def restart_text(policy: RestartPolicy, language: Language = "en") -> str:
    """Return a restart policy in one line."""
    if policy.max_restarts == 0:
        return word("never_restarts", language)
    limit = policy.give_up_after_s
    within = "" if limit is None else word("restarts_within", language, time=duration(limit))
    pauses = {"least": duration(policy.backoff_s), "most": duration(policy.backoff_limit_s)}
    return word("restarts_up_to", language, n=policy.max_restarts, within=within, **pauses)


def watch_text(limits: WatchLimits, language: Language = "en") -> str:
    """Return when a job counts as hung in one line."""
    named = (
        ("boot", limits.boot_s),
        ("step", limits.step_s),
        ("checkpoint", limits.checkpoint_s),
        ("eval", limits.eval_s),
    )
    phases = ", ".join(f"{name} {duration(seconds)}" for name, seconds in named)
    log = "" if limits.log_s is None else word("silent_logs", language, time=duration(limits.log_s))
    return word("no_sign", language, phases=phases, factor=limits.factor, log=log)
