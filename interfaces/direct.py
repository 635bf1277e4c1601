"""Launches that no thread asked for: approved by a person at the door, or by policy, and submitted at once."""

import getpass
import secrets
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from contracts.approval import Approval
from contracts.errors import ApprovalMissing, RunFolderUnwritable
from contracts.launch import LaunchRequest
from contracts.run import TERMINAL_STATES, RunRecord
from contracts.settings import Settings
from interfaces.service_jobs import open_runner

if TYPE_CHECKING:
    from runners import Backends

Ask = Callable[[LaunchRequest], bool | None]
"""Asks a person: True to start it, False to reject it, None where nobody can be asked or nobody decided."""

_POLL_S = 0.2


def submit_direct(settings: Settings, launch: LaunchRequest, ask: Ask) -> RunRecord:
    """Have a launch approved and start it.

    Args:
        settings: The home folder.
        launch: What would run; its scripts are the agent's own.
        ask: Asks a person, where policy does not approve it.

    Raises:
        ApprovalMissing: Policy does not approve it, and no person did.
        NotAllowed: A person rejected it.
    """
    from engines.approval.policy import pre_approved

    if pre_approved(launch, sys.executable):
        return _submit(settings, launch, "approve", via="policy")
    said = ask(launch)
    if said is None:
        raise ApprovalMissing(
            f"a person must approve launch {launch.launch_hash}: it does not run in the agent's own Python, "
            "or does more than look",
            hint="run this command in a terminal, where it asks",
        )
    return _submit(settings, launch, "approve" if said else "reject", via="cli")


def until_end(runner: "Backends", run_id: str, limit_s: float) -> RunRecord:
    """Return the record of a run as soon as it has ended; after the limit the run is cancelled first.

    Args:
        runner: Where it runs.
        run_id: Id of the run.
        limit_s: Seconds that it may take, without those that it waits for others.
    """
    deadline = time.monotonic() + limit_s
    while (record := runner.status(run_id)).state not in TERMINAL_STATES:
        if record.state == "queued":
            deadline = time.monotonic() + limit_s  # others' runs take what they take
        elif time.monotonic() > deadline:
            runner.cancel(run_id)
            deadline = float("inf")
        time.sleep(_POLL_S)
    return record


def _submit(
    settings: Settings, launch: LaunchRequest, decision: Literal["approve", "reject"], via: Literal["policy", "cli"]
) -> RunRecord:
    from engines.approval.judge import seal_approval
    from runners import Home

    approval = Approval(
        launch_hash=launch.launch_hash,
        decision=decision,
        approver="policy" if via == "policy" else getpass.getuser(),
        decided_at=datetime.now(UTC).isoformat(),
        via=via,
    )
    try:
        key = Home(settings.home).secret("approve")
    except OSError as error:
        raise RunFolderUnwritable(f"the approver's secret cannot be made or read: {error}") from error
    # each is a run of its own: a preflight of yesterday says nothing of today
    return open_runner(settings).submit(launch, seal_approval(approval, key), f"{launch.kind}-{secrets.token_hex(8)}")
