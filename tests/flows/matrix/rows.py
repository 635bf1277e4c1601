"""The crash matrix: what is done to a run of two FSDP2 ranks, and what must come of it.

Each row is one job of `case.STEPS` steps, held at a known place, with a checkpoint every
`case.EVERY` steps. After every row one job has run, no process is left, and losses, the last
checkpoint and the exported weights are those of the run that nobody touched, bit for bit.
`docs/crash-matrix.md` shows this table; a test holds the two together.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from contracts.launch import WatchLimits
from tests.flows.matrix import harm, kills, requests
from tests.flows.matrix.case import Case

IN_SAVE, IN_SHARD, AT_10 = ("1=save:8",), ("1=shard:8",), ("1=step:10",)
ASYNC = {"async_checkpoints": True}
TIGHT = WatchLimits(boot_s=90.0, step_s=8.0, checkpoint_s=60.0, eval_s=60.0, factor=3.0)


@dataclass(frozen=True)
class Row:
    """One line of the matrix."""

    done: str
    """What is done to the job."""
    do: Callable[[Case], None]
    """Does it, and lets go of what is held."""
    then: str
    """What happens, for the page."""
    submit: Callable[[Case], None] = Case.submit
    """How it is submitted."""
    holds: tuple[str, ...] = ("1=step:6",)
    """Where its starts are held, the first of them before anything is done; see `held.py`."""
    held: tuple[int, ...] = (0, 1)
    """Ranks that stand still there."""
    first: str = "done"
    """State in which the run ends before anybody resumes it."""
    reason: str = ""
    """Words in the reason of that end."""
    starts: int = 1
    """Starts in all."""
    resumed: bool = False
    """Whether a person resumes it, after which it is done."""
    skipped: tuple[tuple[str, str], ...] = ()
    """Checkpoints that the last start passes over, and a word of why."""
    swept: bool = False
    """Whether living ranks are swept: they have 5 s to save, and may be killed in the middle of it."""
    recipe: dict[str, Any] = field(default_factory=dict)
    """Settings other than the usual ones."""
    watch: WatchLimits = field(default_factory=WatchLimits)
    """When it counts as hung."""


RESTARTED: dict[str, Any] = {"starts": 2}
RESUMED: dict[str, Any] = {"starts": 2, "resumed": True}
UNFINISHED = (("step-00000008", "no manifest: the save was not finished"),)

ROWS = (
    # one process or several, by SIGKILL
    Row("rank 0 killed", kills.kill("rank 0"), "restarted by policy", **RESTARTED),
    Row("rank 1 killed", kills.kill("rank 1"), "restarted by policy", **RESTARTED),
    Row(
        "torchrun killed",
        kills.kill("torchrun"),
        "its orphaned ranks are swept, then restarted",
        swept=True,
        **RESTARTED,
    ),
    Row("shim killed", kills.kill("shim"), "the job goes on; its supervisor takes the exit status"),
    Row("supervisor killed", kills.kill_then_adopt("supervisor"), "the job goes on; `reconcile` adopts it"),
    Row(
        "supervisor and torchrun killed",
        kills.kill_then_adopt("supervisor", "torchrun"),
        "the shim has the exit status; `reconcile` sweeps the ranks and restarts",
        swept=True,
        **RESTARTED,
    ),
    Row(
        "supervisor and shim killed",
        kills.kill_then_adopt("supervisor", "shim"),
        "adopted; it ends without an exit status, and the job's own result is believed",
    ),
    Row(
        "supervisor and shim killed, then rank 1 of the adopted job",
        kills.kill_adopt_kill,
        "adopted; it ends without exit status or result, counts as lost, and is restarted",
        **RESTARTED,
    ),
    Row(
        "supervisor, shim and torchrun killed",
        kills.kill_then_adopt("supervisor", "shim", "torchrun"),
        "the orphaned ranks go on to the end; `reconcile` adopts them",
    ),
    Row(
        "supervisor, shim, torchrun and both ranks killed",
        kills.kill_all,
        "lost; `jobs resume` goes on from the checkpoint",
        first="lost",
        **RESUMED,
    ),
    Row("the client killed after its submit", requests.go_on, "the job does not notice",
        submit=requests.submit_and_die),
    Row("`jobs follow` killed", requests.kill_a_follower, "the job does not notice"),
    # signals that ask to end
    Row("SIGTERM to rank 1", kills.tell("SIGTERM", "rank 1"), "both save and stop; not restarted",
        first="failed", reason="stopped by a signal after it saved step 6", **RESUMED),
    Row("SIGTERM to torchrun", kills.tell("SIGTERM", "torchrun"), "both ranks save and stop; not restarted",
        first="failed", reason="stopped by a signal after it saved step 6", **RESUMED),
    Row("SIGUSR1 to torchrun", kills.tell("SIGUSR1", "torchrun"), "the same: torchrun passes it on",
        first="failed", reason="stopped by a signal after it saved step 6", **RESUMED),
    Row("SIGTERM to the supervisor", kills.tell("SIGTERM", "supervisor"), "it has the job save and stop first",
        first="cancelled", reason="saved and stopped at step 6", **RESUMED),
    Row("SIGTERM to the shim", kills.tell("SIGTERM", "shim"), "nothing: it has only an exit status to record"),
    Row("SIGTERM to `jobs follow`", requests.tell_a_follower, "the job does not notice"),
    Row("SIGTERM to all of them at once", kills.tell("SIGTERM", "supervisor", "shim", "torchrun", "rank 0", "rank 1"),
        "the same as to the supervisor", first="cancelled", reason="saved and stopped at step 6", **RESUMED),
    # hangs
    Row("rank 1 falls asleep", kills.hang_asleep, "found by its silence, stacks taken, ended, restarted",
        holds=("1=asleep:6",), watch=TIGHT, held=(1,), **RESTARTED),
    Row("rank 1 frozen (SIGSTOP)", kills.freeze("rank 1"), "found by its silence; only SIGKILL ends it; restarted",
        watch=TIGHT, **RESTARTED),
    # in a save
    Row("rank 1 killed while it writes its shard", kills.kill("rank 1"),
        "restarted; the wreck is named and passed over", holds=IN_SHARD, held=(1,), skipped=UNFINISHED, **RESTARTED),
    Row("rank 0 killed before it writes the manifest", kills.kill("rank 0"), "the same",
        holds=IN_SAVE, held=(0,), skipped=UNFINISHED, **RESTARTED),
    Row("rank 1 killed while it writes its shard in the background", kills.kill("rank 1"), "the same",
        holds=IN_SHARD, held=(1,), skipped=UNFINISHED, recipe=ASYNC, **RESTARTED),
    Row("all killed while the manifest is awaited in the background", kills.kill_all, "lost, then resumed as above",
        holds=IN_SAVE, held=(0,), first="lost", skipped=UNFINISHED, recipe=ASYNC, **RESUMED),
    Row("cancelled during a save", requests.cancel, "the save is finished, then the job stops",
        holds=IN_SAVE, held=(0,), first="cancelled", reason="saved and stopped at step 8", **RESUMED),
    Row("cancelled during a save in the background", requests.cancel, "the save is finished, the last step saved too",
        holds=IN_SAVE, held=(0,), first="cancelled", reason="saved and stopped at step", recipe=ASYNC, **RESUMED),
    # harm to the newest checkpoint
    Row("bytes flipped in the newest checkpoint", harm.flip_bytes, "named and passed over; the one before is taken",
        holds=AT_10, first="lost", skipped=(("step-00000008", "differs from its SHA-256"),), **RESUMED),
    Row("a shard of the newest checkpoint missing", harm.remove_shard, "the same",
        holds=AT_10, first="lost", skipped=(("step-00000008", "__1_0.distcp is missing"),), **RESUMED),
    Row("a shard of the newest checkpoint cut short", harm.truncate_shard, "the same",
        holds=AT_10, first="lost", skipped=(("step-00000008", "bytes instead of"),), **RESUMED),
    Row("the newest manifest torn", harm.tear_manifest, "the same",
        holds=AT_10, first="lost", skipped=(("step-00000008", "unreadable manifest"),), **RESUMED),
    # harm to what the runner knows
    Row("supervisor killed and the journal's last line torn", harm.tear_journal, "adopted; the line costs nothing"),
    Row("pids of the journal reused by another process", harm.reuse_pids, "lost, then resumed; the other lives on",
        first="lost", **RESUMED),
    Row("the machine started anew (another boot id)", harm.reboot, "the same", first="lost", **RESUMED),
    # full disks
    Row("the disk full in a save", harm.fill_disk_of_rank, "said; that save is left out, the job goes on",
        holds=("1=step:6", "1=step:9")),
    Row("the disk full in a save in the background", harm.fill_disk_of_rank, "the same",
        holds=("1=step:6", "1=step:9"), recipe=ASYNC),
    Row("the disk full for the supervisor while rank 1 is killed", harm.fill_disk_of_supervisor,
        "it waits for room, then writes its journal and restarts", **RESTARTED),
    # requests that race
    Row("submitted twice", requests.submit_again, "one run; the second submit returns it"),
    Row("six supervisors sent at once", requests.go_on, "one takes the lock, the others leave",
        submit=requests.race_six_supervisors),
    Row("the supervisor killed between the attempt's folder and its start", requests.go_on,
        "its child, already forked, starts the job, and holds the lock until then; `reconcile` adopts it",
        submit=requests.die_before_the_start),
)  # fmt: skip
