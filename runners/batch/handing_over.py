"""Hand a submission to Slurm once, whoever is killed in between. Standard library only.

The intent is on the disk before sbatch is called. Whoever finds an intent without a job
looks for the job by its name first. The lock is inherited by sbatch itself: where its
caller is killed, the next one waits until sbatch has ended, and finds what it made.
"""

import os
from collections.abc import Mapping

from contracts.errors import RunnerError
from runners.batch.calls import call
from runners.batch.jobs import find_named
from runners.batch.script import sbatch_script
from runners.batch.submissions import SubmissionDir, excluded_nodes, held, intend, newest, record_job
from runners.environment import passed
from runners.files import read_object, write_whole
from runners.rundir import RunDir

_TRANSIENT = ("Unable to contact", "Socket timed out", "Zero Bytes", "connect failure", "Connection refused")


class SlurmSilent(RunnerError):
    """Slurm does not answer; what was asked may be asked again."""

    code = "slurm_silent"


class SlurmRefused(RunnerError):
    """Slurm answered that it will not take the job."""

    code = "slurm_refused"


def hand_over(run: RunDir, number: int, kind: str, after: int | None = None, step: object = None) -> int:
    """Make sure that a submission is with Slurm, and return its job.

    Args:
        run: The run folder.
        number: The submission, counted from 1.
        kind: Why it is made.
        after: Job that has to end first.
        step: Optimizer steps that are saved, where they are known.

    Raises:
        SlurmSilent: Slurm does not answer. Asking again is safe: nothing is submitted twice.
        SlurmRefused: Slurm will not have it; the intent is withdrawn.
        SlurmAbsent: Its programs are not installed here.
        OSError: The run folder cannot be written.
    """
    with held(run) as lock:
        known = SubmissionDir(run, number).job_id()
        if known is not None:
            return known
        launch, marker = read_object(run.spec) or {}, str((read_object(run.submission) or {})["marker"])
        submission = intend(run, number, kind, step)
        found, silent = find_named(submission.name(marker))
        if silent:
            raise SlurmSilent(f"Slurm does not answer: {silent}", hint="ask again when it does: nothing is lost")
        if found is None:
            text = sbatch_script(run, submission, launch, marker, sorted(excluded_nodes(run)))
            write_whole(submission.script, text.encode("utf-8"))
            found = _sbatch(submission, lock, batch_environment(launch.get("env_passed") or ()), after)
        return record_job(submission, found)


def batch_environment(names: object) -> dict[str, str]:
    """Return what the batch step sees: the base variables, the named ones, and where Slurm is.

    What this process has from a Slurm job of its own is left out: the next job is not a step of it.
    """
    known = [name for name in names if isinstance(name, str)] if isinstance(names, (list, tuple)) else []
    own = {name: value for name, value in os.environ.items() if name == "SLURM_CONF" or name.startswith("MODULE")}
    return passed(known) | own


def _sbatch(submission: SubmissionDir, lock: int, env: Mapping[str, str], after: int | None) -> int:
    order = [f"--dependency=afterany:{after}"] if after is not None else []
    answer = call(["sbatch", "--parsable", *order, str(submission.script)], keep=[lock], env=env)
    number = answer.output.strip().partition(";")[0]
    if answer.good and number.isdecimal():
        return int(number)
    if answer.code is None or any(words in answer.errors for words in _TRANSIENT):
        raise SlurmSilent(f"Slurm does not answer: {answer.words}", hint="ask again when it does: nothing is lost")
    submission.intent.unlink()  # it was heard and refused: there is no such job
    raise SlurmRefused(f"Slurm refused the job: {answer.words}", hint=f"see {submission.script}")


def is_newest(run: RunDir, number: int) -> bool:
    """Tell whether no later submission follows."""
    return newest(run) == number
