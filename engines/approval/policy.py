"""What policy approves without asking a person: nothing that could run foreign code."""

from contracts.launch import LaunchRequest


def pre_approved(launch: LaunchRequest, own_interpreter: str) -> bool:
    """Tell whether a launch is the local preflight, or probes of ours, in the agent's own interpreter.

    Another interpreter is foreign code, as is whatever a variable from the environment
    leads to; more than one machine is no longer local. That its scripts are ours is for
    the caller to say, who wrote them.

    Args:
        launch: What would run.
        own_interpreter: Absolute path of the agent's own Python.
    """
    return (
        launch.kind in ("preflight", "probe")
        and launch.interpreter == own_interpreter
        and launch.resources.nodes == 1
        and not launch.env_passed
        and launch.writes == ("{run_dir}",)
    )
