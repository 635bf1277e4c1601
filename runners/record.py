"""The RunRecord of a run folder: the journal, corrected by what is really alive."""

import time
from typing import Any

from pydantic import ValidationError

from contracts.handover import Handover
from contracts.run import RunRecord, RunState
from runners.files import read_object
from runners.journal import Standing, fold, read_journal
from runners.outcome import exit_code_of, outcome_of, read_result
from runners.process import Identity, from_json, marked
from runners.reading import newest_step
from runners.rundir import RUN_ID, RunDir
from runners.stopfile import read_stop

_UNSUPERVISED = "it runs, but its supervisor is gone; fsdp-agent reconcile gives it another"
UNSTARTED_LIMIT_S = 60.0
"""A folder that no supervisor has taken up for this long was abandoned by its client."""


class Liveness:
    """Who is alive, seen at one moment for many runs."""

    def __init__(self, markers: frozenset[str]) -> None:
        """Nothing is looked at before it is asked for."""
        self._markers = markers
        self._found: frozenset[str] | None = None

    def has_processes(self, marker: str) -> bool:
        """Tell whether any process carries this marker."""
        if self._found is None:
            self._found = frozenset(marked(self._markers).values())
        return marker in self._found


def read_submission(run: RunDir) -> dict[str, Any] | None:
    """Return what the client wrote at submission; None where this is no run folder of ours."""
    if not RUN_ID.fullmatch(run.run_id) or run.path.is_symlink():
        return None
    found = read_object(run.submission)
    wanted = {"key": str, "launch_hash": str, "kind": str, "marker": str, "created_at": float}
    if found is None or not all(isinstance(found.get(name), kind) for name, kind in wanted.items()):
        return None
    return found


def read_record(run: RunDir, submission: dict[str, Any], liveness: Liveness | None = None) -> RunRecord:
    """Return where a run stands now.

    Args:
        run: The run folder.
        submission: What `read_submission` returned.
        liveness: Shared between runs that are read together.
    """
    marker = submission["marker"]
    standing, facts = _state(run, submission, liveness or Liveness(frozenset({marker})))
    return compose_record(run, submission, standing, facts)


def compose_record(run: RunDir, submission: dict[str, Any], standing: Standing, facts: dict[str, Any]) -> RunRecord:
    """Return the record of a run whose state is known.

    Args:
        run: The run folder.
        submission: What `read_submission` returned.
        standing: What the journal amounts to.
        facts: `state`, and where they are known `attempt`, `reason`, `exit_code` and `ended_at`.
    """
    step, loss = newest_step(run.events)
    return RunRecord(
        run_id=run.run_id,
        key=submission["key"],
        launch_hash=submission["launch_hash"],
        kind=submission["kind"],
        run_dir=str(run.path),
        attempt=facts.pop("attempt", standing.attempt),
        created_at=submission["created_at"],
        step=step,
        steps=steps if isinstance(steps := submission.get("steps"), int) else None,
        loss=loss,
        result=read_result(run.result),
        handover=_handover(standing) if facts["state"] in ("failed", "lost") else None,
        **facts,
    )


def _handover(standing: Standing) -> Handover | None:
    entry = standing.gave_up or {}
    try:
        return Handover.model_validate({name: entry[name] for name in Handover.model_fields})
    except (KeyError, ValidationError):
        return None  # none was written, or an older supervisor wrote it


def supervised(standing: Standing) -> bool:
    """Tell whether the last supervisor is alive."""
    return _alive(standing.supervisor)


def _state(run: RunDir, submission: dict[str, Any], liveness: Liveness) -> tuple[Standing, dict[str, Any]]:
    standing = fold(read_journal(run.journal))
    if (standing.pending or standing.state is None) and not supervised(standing):
        # It may have written the end and left after we read: the journal it left is final.
        standing = fold(read_journal(run.journal))
    if (standing.pending or standing.state is None) and supervised(standing):
        state = living_state(run, submission["kind"], standing)
        if state == "queued":
            return standing, _queued(str((read_object(run.queue) or {}).get("waits_for", "")))
        # a start that its supervisor has yet to begin is the newest one already
        return standing, {"state": state, "attempt": standing.pending or standing.attempt}
    if standing.queued:
        return standing, _queued("its supervisor is gone; fsdp-agent reconcile puts it back into the queue")
    if standing.state is not None:
        return standing, _end(standing.state, standing.exit_code, standing.reason, standing.last_at)
    if standing.attempt == 0:
        age_s = time.time() - submission["created_at"]
        abandoned = standing.supervisor is not None or age_s > UNSTARTED_LIMIT_S
        reason = "it was submitted, but no supervisor took it up"
        return standing, _end("lost", None, reason, submission["created_at"]) if abandoned else {"state": "submitted"}
    attempt = run.attempt(standing.attempt)
    launcher = from_json(read_object(attempt.launcher))
    if _alive(standing.shim) or _alive(launcher) or liveness.has_processes(submission["marker"]):
        return standing, {"state": living_state(run, submission["kind"], standing), "reason": _UNSUPERVISED}
    code = exit_code_of(attempt)
    stopping = standing.stopping or _asked_to_stop(run, standing)
    outcome = outcome_of(run, attempt, submission["kind"], code, stopping=stopping)
    return standing, _end(outcome.state, code, outcome.reason, last_sign(run, standing))


def living_state(run: RunDir, kind: str, standing: Standing) -> RunState:
    """Return the state of a run whose processes live."""
    if standing.stopping or _asked_to_stop(run, standing):
        return "stopping"
    if standing.queued:
        return "queued"
    if standing.attempt == 0 or standing.pending or standing.shim is None:
        return "starting"
    if kind in ("script", "probe", "preflight"):
        # their programs need not report progress: running is all that is known
        return "running" if run.attempt(standing.attempt).launcher.exists() else "starting"
    return "running" if _written_since(run, standing.started_at or 0.0) else "starting"


def _asked_to_stop(run: RunDir, standing: Standing) -> bool:
    order = read_stop(run)
    current = standing.pending or standing.attempt
    return order is not None and (order.attempt is None or order.attempt >= current)


def _written_since(run: RunDir, moment: float) -> bool:
    try:
        return run.events.stat().st_mtime >= moment
    except OSError:
        return False


def last_sign(run: RunDir, standing: Standing) -> float:
    """Return when a run last gave a sign of itself, in seconds since the epoch."""
    moments = [standing.last_at or 0.0]
    for path in (run.events, run.attempt(standing.attempt).exit):
        if path.exists():
            moments.append(path.stat().st_mtime)
    return max(moments)


def _queued(reason: str) -> dict[str, Any]:
    return {"state": "queued", "reason": reason}


def _end(state: str, exit_code: int | None, reason: str, ended_at: float | None) -> dict[str, Any]:
    return {"state": state, "exit_code": exit_code, "reason": reason, "ended_at": ended_at}


def _alive(process: Identity | None) -> bool:
    return process is not None and process.is_alive()
