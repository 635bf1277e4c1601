"""RunDir: every file that a run may have, and for each the one that writes it.

Standard library only: client and supervisor share it. The training job knows the few
names that concern it by its environment (FSDP_RUN_DIR).
"""

import re
from pathlib import Path

RUN_ID = re.compile(r"r-[0-9a-f]{12}")
"""Form of a run id, which is also the name of its folder."""

DRAFT_PREFIX = ".new-"
"""How a run folder is called until it is complete and renamed."""

WRITERS: dict[str, str] = {
    "spec.json": "client, once, before the folder has its name",
    "approval.json": "client, once, before the folder has its name",
    "submission.json": "client, once, before the folder has its name",
    "lock": "nobody; the supervisor holds it locked while it lives",
    "journal.jsonl": "supervisor",
    "state.json": "supervisor",
    "supervisor.log": "supervisor",
    "cmd/stop": "client; the supervisor itself when it is told to end; removed by the supervisor",
    "attempts/NNNN/launch.json": "supervisor",
    "attempts/NNNN/torchrun.pid": "shim",
    "attempts/NNNN/rc": "shim",
    "attempts/NNNN/torchrun.log": "launcher (torchrun), through the shim's output",
    "attempts/NNNN/log/": "launcher: one folder for each rank",
    "attempts/NNNN/result.json": "supervisor: the attempt's result, moved here by the next start",
    "hb/<rank>.json": "rank <rank>; removed by the supervisor before a start",
    "events.jsonl": "rank 0",
    "ckpt/": "all ranks",
    "export/": "rank 0",
    "result.json": "rank 0; moved away by the supervisor before a start",
}
"""Name below the run folder -> its one writer."""


class AttemptDir:
    """Files of one start of the job."""

    def __init__(self, path: Path) -> None:
        """Name the paths; nothing is created."""
        self.path = path
        self.launch = path / "launch.json"
        self.launcher = path / "torchrun.pid"
        self.exit = path / "rc"
        self.launcher_log = path / "torchrun.log"
        self.rank_logs = path / "log"
        self.old_result = path / "result.json"


class RunDir:
    """Files of one run.

    ```
    spec.json         the LaunchRequest in canonical JSON; never changes
    approval.json     the Approval under which it may start; never changes
    submission.json   key, launch hash, kind, time, and the marker of its processes
    lock              locked by the living supervisor
    journal.jsonl     what was done, in order, fsynced: the truth
    state.json        what the journal amounts to, for other programs; never read here
    supervisor.log    what went wrong in the supervisor
    cmd/stop          there when the run is asked to save and stop
    attempts/NNNN/    each start: launch.json (what was started), torchrun.pid, rc (exit
                      status), torchrun.log (launcher), log/ (ranks)
    hb/<rank>.json    heartbeats
    events.jsonl      progress
    ckpt/ export/     what the job saves
    result.json       the job's own word on its end
    ```
    """

    def __init__(self, path: str | Path) -> None:
        """Name the paths; nothing is created."""
        self.path = Path(path)
        self.spec = self.path / "spec.json"
        self.approval = self.path / "approval.json"
        self.submission = self.path / "submission.json"
        self.lock = self.path / "lock"
        self.journal = self.path / "journal.jsonl"
        self.state = self.path / "state.json"
        self.supervisor_log = self.path / "supervisor.log"
        self.commands = self.path / "cmd"
        self.stop = self.commands / "stop"
        self.attempts = self.path / "attempts"
        self.heartbeats = self.path / "hb"
        self.events = self.path / "events.jsonl"
        self.checkpoints = self.path / "ckpt"
        self.result = self.path / "result.json"

    @property
    def run_id(self) -> str:
        """Id of the run: the folder's name."""
        return self.path.name

    def attempt(self, number: int) -> AttemptDir:
        """Return the files of start `number`, counted from 1."""
        return AttemptDir(self.attempts / f"{number:04d}")
