"""Is exactly this launch approved, with exactly these bytes in its input files?

The graph asks before it submits, the client before it makes the run folder, and the
supervisor before every start. Standard library only.
"""

import os
import stat
from collections.abc import Iterable
from typing import Any

from contracts.canonical import content_hash, file_sha256, seal_holds
from contracts.errors import ApprovalForged, ApprovalMissing, ContentChanged, NotAllowed
from runners.importable import newcomer

MODEL_SUFFIXES = (".json", ".safetensors", ".model", ".txt", ".jinja")
"""Endings of the files of a model folder that a job reads."""

POLICY_KINDS = ("dryrun", "probe", "preflight")
"""Kinds of jobs that may start by policy alone, where the doors find that they run no foreign code."""

BUNDLED_KINDS = ("train", "probe", "preflight", "export", "dryrun", "trials")
"""Kinds whose scripts are ours and lie in a folder of their own."""

_APPROVE_AGAIN = "plan again and have the new launch approved"


def verify_launch(launch: dict[str, Any], approval: dict[str, Any] | None, key: bytes) -> None:
    """Return where a person approved this very launch; raise where not.

    Args:
        launch: The LaunchRequest as plain JSON data.
        approval: The Approval as plain JSON data; None where there is none.
        key: The approver's secret.

    Raises:
        ApprovalMissing: Nobody decided.
        ApprovalForged: The decision was not sealed with the approver's secret.
        NotAllowed: The decision was to reject.
        ContentChanged: The decision was on another launch, or an input file has other
            bytes or is missing.
    """
    verify_decision(launch, approval, key)
    changed = changed_content(launch)
    if changed is not None:
        raise ContentChanged(f"not what was approved: {changed}", hint=f"restore it, or {_APPROVE_AGAIN}")


def verify_decision(launch: dict[str, Any], approval: dict[str, Any] | None, key: bytes) -> None:
    """Check the decision and the launch, but not the bytes of its input files.

    Raises:
        ApprovalMissing: Nobody decided.
        ApprovalForged: The decision was not sealed with the approver's secret.
        NotAllowed: The decision was to reject, or was made by policy on what only a person may approve.
        ContentChanged: The decision was on another launch.
    """
    launch_hash = content_hash(launch)
    if not approval:
        raise ApprovalMissing(f"nobody has approved launch {launch_hash}", hint=f"fsdp-agent approve {launch_hash}")
    if not _sealed(approval, key):
        raise ApprovalForged("the approval was not sealed with the approver's secret of this home folder")
    if approval.get("decision") != "approve":
        who, why = approval.get("approver"), approval.get("reason")
        raise NotAllowed(f"the launch was rejected by {who}" + (f": {why}" if why else ""), code="rejected")
    if approval.get("via") == "policy" and launch.get("kind") not in POLICY_KINDS:
        raise NotAllowed(f"policy cannot approve a {launch.get('kind')} job", code="policy_overstepped")
    if approval.get("launch_hash") != launch_hash:
        raise ContentChanged(
            f"the approval is for launch {approval.get('launch_hash')}, this one is {launch_hash}",
            hint=_APPROVE_AGAIN,
        )


def changed_content(launch: dict[str, Any]) -> str | None:
    """Name the first input file that is not what it was when the launch was written.

    Returns:
        A phrase such as "config /plans/0a1b/config.json has other bytes"; None where
        every input has its bytes and nothing else lies beside payload and model, nor
        anything new to be imported beside a script.
    """
    inputs = launch.get("inputs")
    if not isinstance(inputs, Iterable) or not all(isinstance(entry, dict) for entry in inputs):
        return "the list of inputs cannot be read"
    for entry in inputs:
        problem = _problem(entry)
        if problem is not None:
            return f"{entry.get('role')} {entry.get('path')} {problem}"
    if launch.get("importable") and (added := newcomer(launch["importable"])) is not None:
        return added
    bundled = launch.get("kind") in BUNDLED_KINDS
    return _stranger(inputs, ("script", "model", "support") if bundled else ("support", "patched"))


def _stranger(inputs: Iterable[dict[str, Any]], roles: tuple[str, ...]) -> str | None:
    """Name what lies beside files of these roles (payload, model) without having been approved.

    Python imports from the script's folder first: a `torch.py` there, or a compiled
    `__pycache__` with the right time stamp, would run in the place of what was approved.
    And an index laid into the model's folder would lead to other weights.
    """
    approved = {str(entry["path"]) for entry in inputs}
    for role in roles:
        for folder in sorted({os.path.dirname(str(e["path"])) for e in inputs if e.get("role") == role}):  # noqa: PTH120
            try:
                found = sorted(entry.path for entry in os.scandir(folder))
            except OSError as error:
                return f"{folder} cannot be read ({error})"
            for path in found:
                if role in ("support", "patched") and any(entry.startswith(path + os.sep) for entry in approved):
                    continue  # a folder of mended copies, which is looked through itself
                if path not in approved and (role != "model" or path.endswith(MODEL_SUFFIXES)):
                    return f"{path} lies beside the approved {role} and was not approved"
    return None


def _sealed(approval: dict[str, Any], key: bytes) -> bool:
    try:
        return seal_holds(approval, key)
    except (ValueError, TypeError):  # a record that no JSON could hold, a mac that is not ASCII
        return False


def _problem(entry: dict[str, Any]) -> str | None:
    path = entry.get("path")
    if not isinstance(path, str) or not os.path.isabs(path):  # noqa: PTH117 - the value may be hostile
        return "has no absolute path"
    try:
        facts = os.stat(path)  # noqa: PTH116
        if not stat.S_ISREG(facts.st_mode):
            return "is not a regular file"  # reading a pipe would wait for ever
        if facts.st_size != entry.get("size_bytes"):
            return "has another size"
        return None if file_sha256(path) == entry.get("sha256") else "has other bytes"
    except FileNotFoundError:
        return "is missing"
    except (OSError, ValueError) as error:
        return f"cannot be read ({error})"
