"""Which nodes are to blame, by what they and srun said. Pure; standard library only."""

import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_SKEW_S = 5.0
"""Slack of a node's clock around the time in which it was asked."""
_BAD_NODE = re.compile(
    r"^srun: error: (?:Node failure on (?P<failed>\S+)"
    r"|Task launch for \S+ failed on node (?P<refused>[^\s:]+): (?P<why>.*))",
    re.MULTILINE,
)
_ENDED = re.compile(
    r"^srun: error: (?P<node>[^\s:]+): tasks? \d+\S*: (?P<how>Exited with exit code \d+|[A-Z].*)$", re.M
)
_CONSEQUENCE = ("Terminated", "Killed")
"""How srun ends the tasks of the other nodes."""


def failed_nodes(log: str, nodes: Sequence[str]) -> dict[str, str]:
    """Return the nodes that srun itself says have failed or could not start their task, each with the reason.

    Args:
        log: What srun wrote.
        nodes: Those of the allocation; other names are not believed.
    """
    found = {}
    for match in _BAD_NODE.finditer(log):
        name = match["failed"] or match["refused"]
        if name in nodes:
            found[name] = "it failed" if match["failed"] else f"it could not start its task: {match['why']}"
    return found


def bad_in_log(log: str, nodes: Sequence[str]) -> dict[str, str]:
    """Return the nodes to blame for a step of ours that failed: those of `failed_nodes`, else the first that ended.

    Args:
        log: What srun wrote, with the output of the tasks.
        nodes: Those of the allocation.
    """
    if found := failed_nodes(log, nodes):
        return found
    for match in _ENDED.finditer(log):
        if match["node"] in nodes and not match["how"].startswith(_CONSEQUENCE):
            return {match["node"]: f"its task of the preflight {match['how'][0].lower()}{match['how'][1:]}"}
    return {}


def bad_in_roll_call(
    nodes: Sequence[str], answers: Iterable[Mapping[str, Any]], began: float, ended: float, log: str
) -> dict[str, str]:
    """Return the nodes that did not answer, or answered oddly, each with the reason.

    Args:
        nodes: Those of the allocation.
        answers: What they wrote: node, time, python, sees.
        began: When they were asked, in seconds since the epoch, by the first node's clock.
        ended: When the last had answered.
        log: What srun wrote.
    """
    said = {str(answer.get("node")): answer for answer in answers}
    if len(said) < len(nodes) and (found := bad_in_log(log, nodes)) and not set(found) & set(said):
        return found  # the others were ended with it, before they could answer
    bad = {name: "it gave no answer in the shared folder" for name in nodes if name not in said}
    if len(bad) == len(nodes):
        return {}  # nobody answered: no node is to blame
    pythons = [str(answer.get("python")) for answer in said.values()]
    usual = statistics.mode(pythons)
    for name, answer in said.items():
        moment = answer.get("time")
        if not answer.get("sees"):
            bad[name] = "it does not see what the first node wrote: the folder is not shared"
        elif isinstance(moment, int | float) and not began - _SKEW_S <= moment <= ended + _SKEW_S:
            ahead_s = moment - (ended if moment > ended else began)
            bad[name] = f"its clock is {ahead_s:+.0f} s off the first node's"
        elif str(answer.get("python")) != usual and 2 * pythons.count(usual) > len(pythons):
            bad[name] = f"its Python is {answer.get('python')}, most have {usual}"
    return {name: bad[name] for name in nodes if name in bad}
