"""What policy approves without asking a person: nothing that could run foreign code."""

from contracts.launch import LaunchRequest

_LOOKING_KINDS = ("preflight", "probe", "dryrun")
"""Kinds that look and change nothing."""

_USER_CODE = "--user-code"
"""Says that a dry run calls a model factory of the user's, which is foreign code."""


def pre_approved(launch: LaunchRequest, own_interpreter: str) -> bool:
    """Tell whether a launch only looks, in the agent's own interpreter.

    That is the local preflight, our own probes, and a dry run of a model class of
    transformers. Another interpreter is foreign code, as is whatever a variable from the
    environment leads to; more than one machine is no longer local. That its scripts are
    ours is for the caller to say, who wrote them.

    Args:
        launch: What would run.
        own_interpreter: Absolute path of the agent's own Python.
    """
    return (
        launch.kind in _LOOKING_KINDS
        and _USER_CODE not in launch.argv
        and launch.interpreter == own_interpreter
        and launch.resources.nodes == 1
        and not launch.env_passed
        and launch.writes == ("{run_dir}",)
    )
