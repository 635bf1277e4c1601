"""The RunRecord of a run in Slurm: its journal, corrected by what Slurm says of its newest job."""

import time
from typing import Any

from contracts.run import RunRecord
from runners.batch.jobs import WAITING, Job, Seen, details
from runners.batch.submissions import SubmissionDir, newest, record_end
from runners.files import read_object
from runners.journal import Standing, fold, read_journal
from runners.outcome import exit_code_of, outcome_of
from runners.record import UNSTARTED_LIMIT_S, compose_record, last_sign, living_state
from runners.rundir import RunDir
from runners.stopfile import clear_stop, read_stop

_HOW: dict[str, str] = {
    "BOOT_FAIL": "a node did not come up",
    "CANCELLED": "it was cancelled in Slurm",
    "DEADLINE": "its deadline passed",
    "NODE_FAIL": "a node failed, and Slurm did not start it again",
    "OUT_OF_MEMORY": "it took more host memory than the job has (--mem)",
    "PREEMPTED": "another job took its nodes, and Slurm did not start it again",
    "TIMEOUT": "it met its time limit before it had saved",
}


def asked_of_slurm(run: RunDir) -> int | None:
    """Return the job that Slurm has to be asked for; None where the run folder tells all."""
    number = newest(run)
    submission = SubmissionDir(run, number)
    if not number or submission.end.exists() or _journalled_end(run, number) is not None:
        return None
    return submission.job_id()


def read_batch_record(run: RunDir, submission: dict[str, Any], seen: Seen) -> RunRecord:
    """Return where a run stands now.

    Args:
        run: The run folder.
        submission: What `read_submission` returned.
        seen: What Slurm said of the job that `asked_of_slurm` names.
    """
    number = newest(run)
    standing = fold(read_journal(run.journal))
    made = SubmissionDir(run, number)
    job_id = made.job_id() if number else None
    if number and (ended := _journalled_end(run, number)) is not None:
        return compose_record(run, submission, ended, _end_facts(ended))
    if job_id is None:
        return compose_record(run, submission, standing, _unsubmitted(submission, standing, made if number else None))
    if (kept := read_object(made.end)) is not None:
        return compose_record(run, submission, standing, kept)
    job = seen.jobs.get(job_id)
    if job is not None and job.over:
        # it may have written its end after the journal was read
        standing = fold(read_journal(run.journal))
        if (ended := _journalled_end(run, number)) is not None:
            return compose_record(run, submission, ended, _end_facts(ended))
        if newest(run) != number:
            return read_batch_record(run, submission, Seen({}, "a further job has just been submitted"))
    return compose_record(run, submission, standing, _facts(run, submission, standing, made, job, seen.silent))


def _facts(
    run: RunDir, submission: dict[str, Any], standing: Standing, made: SubmissionDir, job: Job | None, silent: str
) -> dict[str, Any]:
    stopping = read_stop(run) is not None
    if job is None and silent:
        waits = _waits(run, standing, made)
        state = "queued" if waits else living_state(run, submission["kind"], standing)
        return {
            "state": "stopping" if stopping else state,
            "reason": f"Slurm does not answer ({silent}); this is what the run folder says",
        }
    if job is None or job.over:
        ended = _ended_by_slurm(run, submission, standing, made, job)
        if stopping:
            clear_stop(run)
        return record_end(made, ended)
    if job.state in WAITING and job.state != "CONFIGURING":
        return {"state": "stopping"} if stopping else {"state": "queued", "reason": job.waits_for}
    if stopping:
        return {"state": "stopping"}
    if _waits(run, standing, made):
        return {"state": "starting", "reason": f"job {job.job_id} has {job.nodes}"}
    attempt = standing.pending or standing.attempt
    return {"state": living_state(run, submission["kind"], standing), "attempt": attempt}


def _ended_by_slurm(
    run: RunDir, submission: dict[str, Any], standing: Standing, made: SubmissionDir, job: Job | None
) -> dict[str, Any]:
    """Return the end of a run whose supervisor did not live to write it."""
    known = None if job is None else (details(job.job_id) or job)
    begun = not _waits(run, standing, made)
    ended_at = max(time.time() if not begun else last_sign(run, standing), submission["created_at"])
    if known is not None and known.state == "CANCELLED" and not begun:
        return _end("cancelled", None, f"cancelled while job {known.job_id} was in the queue", ended_at)
    attempt = run.attempt(standing.attempt)
    code = exit_code_of(attempt) if standing.attempt else None
    cancelled = read_stop(run) is not None or (known is not None and known.state == "CANCELLED")
    outcome = outcome_of(run, attempt, submission["kind"], code, stopping=cancelled)
    if outcome.state in ("done", "cancelled") and begun:
        return _end(outcome.state, code, outcome.reason, ended_at)
    if known is None:
        number = made.job_id()
        return _end("lost", code, f"Slurm knows nothing of job {number}, and nobody wrote its end", ended_at)
    how = _HOW.get(known.state, f"see {made.path}")
    exit_words = f", exit {known.exit_code}" if known.exit_code not in ("", "0:0") else ""
    return _end("failed", code, f"Slurm ended job {known.job_id}: {known.state}{exit_words} ({how})", ended_at)


def _unsubmitted(submission: dict[str, Any], standing: Standing, made: SubmissionDir | None) -> dict[str, Any]:
    age_s = time.time() - submission["created_at"]
    if made is not None:
        state = "queued" if standing.attempt else "submitted"
        return {"state": state, "reason": "it is being handed to Slurm; fsdp-agent reconcile sees to it"}
    if age_s <= UNSTARTED_LIMIT_S:
        return {"state": "submitted"}
    reason = "it was submitted, but nobody handed it to Slurm"
    return _end("lost", None, reason, submission["created_at"])


def _journalled_end(run: RunDir, number: int) -> Standing | None:
    """Return what the journal amounts to where it has the end of this very submission."""
    entries = read_journal(run.journal)
    begun = [entry for entry in entries if entry["kind"] == "supervisor"]
    if not begun or begun[-1].get("submission") != number:
        return None
    standing = fold(entries)
    return standing if standing.state is not None and not standing.pending else None


def _waits(run: RunDir, standing: Standing, made: SubmissionDir) -> bool:
    """Tell whether this submission has started nothing yet."""
    begun = [entry for entry in read_journal(run.journal) if entry["kind"] == "supervisor"]
    mine = bool(begun) and begun[-1].get("submission") == made.number
    return not mine or standing.attempt == 0 or standing.pending > standing.attempt


def _end_facts(standing: Standing) -> dict[str, Any]:
    assert standing.state is not None, "an end has a state"
    return _end(standing.state, standing.exit_code, standing.reason, standing.last_at)


def _end(state: str, exit_code: int | None, reason: str, ended_at: float | None) -> dict[str, Any]:
    return {"state": state, "exit_code": exit_code, "reason": reason, "ended_at": ended_at}
