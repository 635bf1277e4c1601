"""What Slurm says of a job: squeue and scontrol while it knows it, then sacct, then its text file."""

import re
import time
from collections.abc import Iterable
from typing import NamedTuple

from runners.batch.calls import SlurmAbsent, call

WAITING = frozenset(
    {"PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "RESV_DEL_HOLD"}
)
"""States of a job that has nothing running; it may start, or start again."""
AT_WORK = frozenset({"RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "SIGNALING", "STAGE_OUT", "RESIZING"})
"""States of a job that has nodes."""
_FIELD = re.compile(r"(?:^| )([A-Za-z][\w:/.]*)=")
_NEVER = {
    "AccountNotAllowed": "the account may not use it",
    "AssocGrpGRES": "the account's share of GPUs is used up",
    "AssocMaxJobsLimit": "the account has as many jobs as it may",
    "BadConstraints": "no node has such features",
    "Dependency": "it waits for another job",
    "JobHeldAdmin": "an administrator holds it back",
    "JobHeldUser": "it is held back: scontrol release JOB",
    "NodeDown": "a node that it needs is down",
    "PartitionDown": "the partition takes no jobs now",
    "PartitionInactive": "the partition starts no jobs now",
    "PartitionNodeLimit": "it asks for more nodes than the partition has or gives",
    "PartitionTimeLimit": "it asks for more time than the partition gives",
    "Priority": "others come first",
    "QOSMaxJobsPerUserLimit": "as many jobs as the QOS allows run already",
    "ReqNodeNotAvail": "a node that it needs is not available",
    "Reservation": "it waits for its reservation",
    "Resources": "it waits until enough nodes are free",
    "BeginTime": "its time has not come yet",
}


class Job(NamedTuple):
    """One job as Slurm sees it."""

    job_id: int
    """Its number."""
    state: str
    """Slurm's word, such as RUNNING; without flags."""
    reason: str = ""
    """Why it waits, in Slurm's word; empty where there is none."""
    exit_code: str = ""
    """"status:signal" of the batch step, once it has ended."""
    nodes: str = ""
    """Its nodes, as Slurm writes them; empty while it waits."""
    left_s: float | None = None
    """Seconds to its time limit; None where there is none, or it is not known."""
    preempted: bool = False
    """Whether it has been told that another job takes its nodes."""
    restarts: int = 0
    """How often it went back into the queue."""

    @property
    def over(self) -> bool:
        """Whether it has ended and will not start again."""
        return self.state not in WAITING and self.state not in AT_WORK

    @property
    def waits_for(self) -> str:
        """Why it waits, for a person, with Slurm's own word."""
        word = self.reason.partition(",")[0]
        if not word:
            return f"job {self.job_id} waits in Slurm's queue"
        told = f" ({_NEVER[word]})" if word in _NEVER else ""
        return f"job {self.job_id} waits in Slurm's queue: {self.reason}{told}"


class Seen(NamedTuple):
    """What came of asking."""

    jobs: dict[int, Job]
    """Those that are known."""
    silent: str = ""
    """What a Slurm that does not answer said; then nothing is known of the jobs that are missing."""


def look_for(numbers: Iterable[int]) -> Seen:
    """Return what Slurm says of these jobs, with one call as long as it remembers them.

    Where its programs are not installed it says nothing: a run folder can still be read.
    """
    wanted = sorted(set(numbers))
    if not wanted:
        return Seen({})
    try:
        return _looked_for(wanted)
    except SlurmAbsent as error:
        return Seen({}, error.message)


def _looked_for(wanted: list[int]) -> Seen:
    answer = call(["squeue", "-h", "-t", "all", "-o", "%i|%T|%r|%N", "-j", ",".join(map(str, wanted))])
    if not answer.good and not answer.unknown_job:
        return Seen({}, answer.words)
    found = read_squeue(answer.output) if answer.good else {}
    for number in wanted:
        if number not in found and (old := _remembered(number)) is not None:
            found[number] = old
    return Seen(found)


def find_named(name: str) -> tuple[int | None, str]:
    """Return the newest job of a name that Slurm or its records know, and what a silent Slurm said.

    Raises:
        SlurmAbsent: squeue is not installed.
    """
    answer = call(["squeue", "-h", "-t", "all", "-o", "%i|%T|%r|%N", f"--name={name}"])
    if not answer.good:
        return None, answer.words
    found = sorted(read_squeue(answer.output))
    for source in ([], ["-c"]):
        if not found:
            listed = call(["sacct", *source, "-n", "-P", "-X", f"--name={name}", "-o", "JobID,JobName"])
            rows = [line.split("|") for line in listed.output.splitlines()]
            found = sorted(int(row[0]) for row in rows if len(row) > 1 and row[1] == name and row[0].isdecimal())
    return (found[-1] if found else None), ""


def details(number: int) -> Job | None:
    """Return all that slurmctld knows of a job; None where it does not answer or has forgotten it.

    Raises:
        SlurmAbsent: scontrol is not installed.
    """
    answer = call(["scontrol", "show", "job", "-o", str(number)])
    return read_scontrol(answer.output) if answer.good else None


def read_squeue(text: str) -> dict[int, Job]:
    """Read lines of `number|state|reason|nodes`; others are passed over."""
    found = {}
    for line in text.splitlines():
        number, *rest = line.strip().split("|")
        if number.isdecimal() and len(rest) >= 3:
            reason = rest[1].strip("()")
            found[int(number)] = Job(int(number), rest[0], "" if reason == "None" else reason, nodes=rest[2])
    return found


def read_scontrol(text: str) -> Job | None:
    """Read what `scontrol show job -o` prints of one job; None where it is something else."""
    fields = scontrol_fields(text)
    if not fields.get("JobId", "").isdecimal():
        return None
    limit_s, run_s = seconds_of(fields.get("TimeLimit", "")), seconds_of(fields.get("RunTime", ""))
    reason = fields.get("Reason", "")
    nodes = fields.get("NodeList", "")
    return Job(
        job_id=int(fields["JobId"]),
        state=fields.get("JobState", "UNKNOWN"),
        reason="" if reason == "None" else reason,
        exit_code=fields.get("ExitCode", ""),
        nodes="" if nodes == "(null)" else nodes,
        left_s=None if limit_s is None or run_s is None else limit_s - run_s,
        preempted=fields.get("PreemptTime", "None") not in ("None", "N/A", "Unknown"),
        restarts=int(restarts) if (restarts := fields.get("Restarts", "0")).isdecimal() else 0,
    )


def scontrol_fields(text: str) -> dict[str, str]:
    """Return `name=value` pairs of one line of scontrol; a value may hold spaces."""
    line = text.strip().partition("\n")[0]
    marks = list(_FIELD.finditer(line))
    ends = [*(mark.start() for mark in marks[1:]), len(line)][: len(marks)]
    return {mark[1]: line[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True)}


def seconds_of(text: str) -> float | None:
    """Return the seconds of Slurm's `days-hours:minutes:seconds`; None where it is no such time."""
    days, dash, clock = text.rpartition("-")
    parts = clock.split(":")
    if not all(part.isdecimal() for part in (*parts, *([days] if dash else []))) or not 2 <= len(parts) <= 3:
        return None
    total = 0.0
    for part in parts:
        total = total * 60 + int(part)
    return total + (86400.0 * int(days) if dash else 0.0)


def read_sacct(text: str, number: int) -> Job | None:
    """Read lines of `number|state|status:signal|nodes`; the last one of this job counts."""
    found = None
    for line in text.splitlines():
        parts = line.split("|")
        if len(parts) >= 4 and parts[0] == str(number) and parts[1]:
            # "CANCELLED by 1000"
            found = Job(number, parts[1].split()[0], exit_code=parts[2], nodes=parts[3])
    return found


def let_go(job: Job) -> None:
    """Let a job start that Slurm holds back since it was put back into the queue; best effort.

    Slurm sets that time when the batch step has ended: the step itself cannot change it.
    """
    if job.state == "PENDING" and job.reason == "BeginTime" and (known := details(job.job_id)) and known.restarts:
        call(["scontrol", "update", f"JobId={job.job_id}", "StartTime=now"])


def until_answered(patience_s: float) -> bool:
    """Wait for a slurmctld that does not answer; tell whether it does now."""
    deadline = time.monotonic() + patience_s
    while not call(["scontrol", "ping"]).output.rstrip().endswith("UP"):
        if time.monotonic() > deadline:
            return False
        time.sleep(1.0)
    return True


def _remembered(number: int) -> Job | None:
    """Ask for a job that slurmctld has forgotten: slurmdbd, then the text file of completed jobs."""
    for source in ([], ["-c"]):
        answer = call(["sacct", *source, "-n", "-P", "-X", "-j", str(number), "-o", "JobID,State,ExitCode,NodeList"])
        if answer.good and (found := read_sacct(answer.output, number)) is not None:
            return found
    return None
