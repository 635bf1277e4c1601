"""What was handed to Slurm for a run: one folder for each submission, written by whoever hands it over.

```
slurm/lock             held while a submission is made, also by the sbatch that makes it
slurm/excluded.json    nodes that were left out, with the reason
slurm/NNNN/intent.json     that it is to be made, and why; before sbatch is called
slurm/NNNN/job.sbatch      the script; a person can read it and submit it
slurm/NNNN/job.json        the job that it became; the first writer counts
slurm/NNNN/end.json        what Slurm said of its end
slurm/NNNN/job-<id>.out    what the batch step said
```
A file that must have one writer is linked into place: that is atomic on a network file
system too. Standard library only.
"""

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from runners.files import read_object, sync_folder, write_json
from runners.rundir import RunDir

FIRST, RESUME, CONTINUATION = "first", "resume", "continuation"
"""Why a submission is made: it was approved; a person asked for it; the time limit ended the job before."""
_LOCK_PATIENCE_S = 120.0
_LOCK_LOOK_S = 0.05


class SubmissionDir:
    """Files of one submission."""

    def __init__(self, run: RunDir, number: int) -> None:
        """Name the folder; nothing is created.

        Args:
            run: The run folder.
            number: The submission, counted from 1.
        """
        self.number = number
        self.path = run.path / "slurm" / f"{number:04d}"

    @property
    def intent(self) -> Path:
        """That it is to be made."""
        return self.path / "intent.json"

    @property
    def script(self) -> Path:
        """The sbatch script."""
        return self.path / "job.sbatch"

    @property
    def job(self) -> Path:
        """The job that it became."""
        return self.path / "job.json"

    @property
    def end(self) -> Path:
        """What Slurm said of its end."""
        return self.path / "end.json"

    @property
    def output(self) -> str:
        """Output of the batch step, with Slurm's place holder for the job's number."""
        return str(self.path / "job-%j.out")

    def job_id(self) -> int | None:
        """Return the number of the job; None where none is recorded yet."""
        number = (read_object(self.job) or {}).get("job_id")
        return number if isinstance(number, int) else None

    def kind(self) -> str:
        """Return why it was made."""
        return str((read_object(self.intent) or {}).get("kind", FIRST))

    def name(self, marker: str) -> str:
        """Return the job's name: of this run folder and this submission, and of no other.

        Args:
            marker: What the run's processes are known by: its id and a random part.
        """
        run_id, _, random = marker.partition(".")
        return f"fsdp-{run_id}-{random[:8]}-{self.number}"


def newest(run: RunDir) -> int:
    """Return the number of the newest submission that somebody intends or made; 0 before the first."""
    numbers = [0]
    with contextlib.suppress(OSError):
        for path in (run.path / "slurm").iterdir():
            if path.name.isdecimal() and (path / "intent.json").exists():
                numbers.append(int(path.name))
    return max(numbers)


def intend(run: RunDir, number: int, kind: str, step: object = None) -> SubmissionDir:
    """Journal that a submission is to be made; harmless where it is journaled already.

    Raises:
        OSError: It cannot be written.
    """
    submission = SubmissionDir(run, number)
    submission.path.mkdir(parents=True, exist_ok=True)
    _once(submission.intent, {"kind": kind, "time": time.time(), "step": step})
    return submission


def record_job(submission: SubmissionDir, job_id: int) -> int:
    """Record which job a submission became, and return the one that counts: the first that was recorded.

    Raises:
        OSError: It cannot be written.
    """
    _once(submission.job, {"job_id": job_id, "time": time.time()})
    found = submission.job_id()
    return job_id if found is None else found


def record_end(submission: SubmissionDir, facts: dict[str, Any]) -> dict[str, Any]:
    """Keep what Slurm said of a job's end, for it forgets; return what is kept: the first that was written."""
    with contextlib.suppress(OSError):
        _once(submission.end, facts)
    return read_object(submission.end) or facts


def continuations(run: RunDir, number: int) -> int:
    """Return how many continuations up to this submission followed each other."""
    count = 0
    while number > 0 and SubmissionDir(run, number).kind() == CONTINUATION:
        count, number = count + 1, number - 1
    return count


def steps_at(run: RunDir, number: int) -> object:
    """Return the optimizer steps that were saved when a submission was made; None where they are not known."""
    return (read_object(SubmissionDir(run, number).intent) or {}).get("step")


def excluded_nodes(run: RunDir) -> dict[str, str]:
    """Return the nodes that were left out of this run, each with the reason."""
    found = read_object(run.path / "slurm" / "excluded.json") or {}
    return {name: str(reason) for name, reason in found.items()}


def exclude_nodes(run: RunDir, nodes: dict[str, str]) -> dict[str, str]:
    """Leave out further nodes, and return all that are.

    Raises:
        OSError: It cannot be written.
    """
    known = nodes | excluded_nodes(run)
    write_json(run.path / "slurm" / "excluded.json", known)
    return known


@contextlib.contextmanager
def held(run: RunDir) -> Iterator[int]:
    """Hold the lock under which submissions of a run are made; yields its descriptor.

    Raises:
        OSError: It cannot be had within two minutes, or not be made.
    """
    folder = run.path / "slurm"
    folder.mkdir(exist_ok=True)
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        deadline = time.monotonic() + _LOCK_PATIENCE_S
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise
            time.sleep(_LOCK_LOOK_S)
        yield descriptor
    finally:
        os.close(descriptor)


def _once(path: Path, value: dict[str, Any]) -> None:
    """Write a file unless there is one; a reader sees all of it or nothing."""
    fresh = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    with open(fresh, "wb") as stream:
        stream.write(json.dumps(value, sort_keys=True).encode("ascii") + b"\n")
        stream.flush()
        os.fsync(stream.fileno())
    with contextlib.suppress(FileExistsError):
        os.link(fresh, path)
    fresh.unlink()
    sync_folder(path.parent)
