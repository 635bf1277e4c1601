"""What Slurm 22.05 prints, read: the texts were printed by a real one."""

import pytest

from runners.batch.jobs import Job, read_sacct, read_scontrol, read_squeue, scontrol_fields, seconds_of

PENDING = (
    "JobId=2 JobName=wrap UserId=root(0) GroupId=root(0) MCS_label=N/A Priority=4294901758 Nice=0 Account=(null) "
    "QOS=(null) JobState=PENDING Reason=PartitionTimeLimit Dependency=(null) Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 "
    "ExitCode=0:0 RunTime=00:00:00 TimeLimit=1-00:00:00 TimeMin=N/A SubmitTime=2026-11-30T14:24:36 "
    "EligibleTime=2026-11-30T14:24:36 StartTime=Unknown EndTime=Unknown Deadline=N/A SuspendTime=None "
    "SecsPreSuspend=0 Scheduler=Main Partition=train AllocNode:Sid=localhost:25601 ReqNodeList=(null) "
    "ExcNodeList=(null) NodeList= NumNodes=1 NumCPUs=1 NumTasks=1 CPUs/Task=1 ReqB:S:C:T=0:0:*:* "
    "TRES=cpu=1,mem=4000M,node=1,billing=1 Command=(null) WorkDir=/a folder/with spaces Power= \n"
)
PREEMPTED = (
    "JobId=6 JobName=fsdp JobState=RUNNING Reason=None Restarts=1 ExitCode=0:0 RunTime=00:01:30 TimeLimit=00:10:00 "
    "PreemptEligibleTime=2026-11-30T14:45:53 PreemptTime=2026-11-30T14:46:07 SuspendTime=None NodeList=n[1-2]\n"
)


def test_a_job_that_waits() -> None:
    job = read_scontrol(PENDING)
    assert job == Job(2, "PENDING", "PartitionTimeLimit", "0:0", left_s=86400.0)
    assert not job.over
    assert job.waits_for == (
        "job 2 waits in Slurm's queue: PartitionTimeLimit (it asks for more time than the partition gives)"
    )


def test_a_job_that_is_preempted() -> None:
    job = read_scontrol(PREEMPTED)
    assert job is not None
    assert (job.preempted, job.restarts, job.left_s, job.nodes, job.reason) == (True, 1, 510.0, "n[1-2]", "")


def test_a_value_may_hold_spaces() -> None:
    assert scontrol_fields(PENDING)["WorkDir"] == "/a folder/with spaces"
    assert scontrol_fields("NodeName=n1 NodeAddr=127.0.0.1 NodeHostName=vm Port=19028")["NodeAddr"] == "127.0.0.1"


@pytest.mark.parametrize("text", ["", "slurm_load_jobs error: Invalid job id specified", "JobId=x JobState=RUNNING"])
def test_what_is_no_job(text: str) -> None:
    assert read_scontrol(text) is None


def test_a_list_of_jobs() -> None:
    text = "1|COMPLETED|None|n[1-2]\n14|PENDING|(Resources)|\n15|RUNNING|None|n3\nrubbish\n16|PENDING\n"
    jobs = read_squeue(text)
    assert sorted(jobs) == [1, 14, 15]
    assert jobs[1].over
    assert jobs[14].waits_for.endswith("Resources (it waits until enough nodes are free)")
    assert (jobs[15].over, jobs[15].nodes) == (False, "n3")


def test_a_reason_that_is_not_known_is_told_as_it_is() -> None:
    [job] = read_squeue("7|PENDING|(Licenses)|\n").values()
    assert job.waits_for == "job 7 waits in Slurm's queue: Licenses"


def test_records_of_a_job_that_was_put_back_are_several_and_the_last_counts() -> None:
    text = "6|PREEMPTED|0:0|n[1-2]\n6|COMPLETED|0:0|n[1-3]\n66|FAILED|1:0|n1\n"
    assert read_sacct(text, 6) == Job(6, "COMPLETED", exit_code="0:0", nodes="n[1-3]")
    assert read_sacct("9|CANCELLED by 0|0:15|n1\n", 9) == Job(9, "CANCELLED", exit_code="0:15", nodes="n1")
    assert read_sacct(text, 5) is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("00:01:30", 90),
        ("10:00", 600),
        ("2-03:04:05", 183845),
        ("UNLIMITED", None),
        ("Partition_Limit", None),
        ("", None),
        ("1-", None),
    ],
)
def test_times(text: str, seconds: float | None) -> None:
    assert seconds_of(text) == seconds  # 2 days, 3 h, 4 min, 5 s: 172800 + 10800 + 240 + 5
