"""What every backend that keeps its runs in folders reads of them, however they are run."""

import contextlib
import hashlib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from contracts.checkpoint import CheckpointFolder
from contracts.errors import KeyConflict, RunFolderUnwritable, UnknownRun
from contracts.event import EventPage
from contracts.launch import LaunchRequest
from contracts.notice import Notice
from runners.checkpoints import list_checkpoints
from runners.files import read_object
from runners.home import Home
from runners.journal import fold, read_journal
from runners.noticing import notices_of
from runners.reading import read_events, read_logs
from runners.record import read_submission
from runners.redacting import redactor_of
from runners.rundir import RUN_ID, RunDir

_ID_DIGITS = 12


class RunFolders:
    """The runs of one home folder. It holds nothing: the files are the state."""

    backend: str | None = None
    """Whose runs these are: local or slurm; None: all."""

    def __init__(self, home: Home) -> None:
        """Name the home folder; nothing is created.

        Args:
            home: Where runs and secrets are.
        """
        self._home = home

    def events(self, run_id: str, cursor: int = 0, limit: int = 1000) -> EventPage:
        """Return up to `limit` events after byte `cursor`; see `Runner.events`."""
        run, _ = self._find(run_id)
        return read_events(run.events, cursor, limit, redactor_of(run))

    def logs(self, run_id: str, rank: int | None = None, tail_lines: int = 200) -> str:
        """Return the last lines of the newest attempt; see `Runner.logs`."""
        run, _ = self._find(run_id)
        attempt = run.attempt(fold(read_journal(run.journal)).attempt)
        return read_logs(attempt, rank, tail_lines, redactor_of(run))

    def launch(self, run_id: str) -> LaunchRequest | None:
        """Return what was approved; None where it cannot be read any more.

        Raises:
            UnknownRun: There is no such run.
        """
        try:
            return LaunchRequest.model_validate(read_object(self._find(run_id)[0].spec))
        except ValidationError:
            return None

    def notices(self, run_id: str) -> list[Notice]:
        """Return what a run's supervisor saw and did, the oldest first.

        Raises:
            UnknownRun: There is no such run.
        """
        return notices_of(read_journal(self._find(run_id)[0].journal))

    def checkpoints(self, run_id: str, *, verify: bool = False) -> list[CheckpointFolder]:
        """Return a run's step folders, the newest first, and which a resume may trust.

        Args:
            run_id: Id of the run.
            verify: Read every file again; see `list_checkpoints`.

        Raises:
            UnknownRun: There is no such run.
        """
        return list_checkpoints(self._find(run_id)[0].checkpoints, verify=verify)

    def backend_of(self, run_id: str) -> str:
        """Return where a run runs: local or slurm.

        Raises:
            UnknownRun: There is no such run.
        """
        return backend_name(self._find(run_id)[1])

    def _named(self, key: str) -> RunDir:
        """Return the folder of a key's run, whether there is one or not."""
        digits = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:_ID_DIGITS]
        return RunDir(self._home.runs / f"r-{digits}")

    def _check_same(self, run: RunDir, launch: LaunchRequest, key: str) -> dict[str, Any]:
        submission = read_submission(run)
        if submission is None:
            raise RunFolderUnwritable(f"{run.path} is taken by something that is no run folder; move it away")
        if submission["key"] != key or submission["launch_hash"] != launch.launch_hash:
            raise KeyConflict(
                f"key {key!r} already names run {run.run_id} of launch {submission['launch_hash']}",
                hint="submit under another key",
            )
        return submission

    def _key(self) -> bytes:
        try:
            return self._home.secret("approve")
        except OSError as error:
            raise RunFolderUnwritable(f"the approver's secret cannot be made or read: {error}") from error

    def _find(self, run_id: str) -> tuple[RunDir, dict[str, Any]]:
        run = RunDir(self._home.runs / run_id) if RUN_ID.fullmatch(run_id) else None
        submission = read_submission(run) if run is not None else None
        if run is None or submission is None:
            raise UnknownRun(f"no run {run_id!r} in {self._home.runs}", hint="fsdp-agent jobs list shows all runs")
        return run, submission

    def _mine(self, run_id: str) -> tuple[RunDir, dict[str, Any]]:
        """Return a run of this backend: another one's may be read, but neither judged nor touched.

        Raises:
            UnknownRun: There is no such run here.
        """
        run, submission = self._find(run_id)
        if self.backend not in (None, backend_name(submission)):
            raise UnknownRun(f"run {run_id} is one of the {backend_name(submission)} backend, not {self.backend}")
        return run, submission

    def _known(self) -> list[tuple[RunDir, dict[str, Any]]]:
        """Return this backend's run folders, the newest first."""
        found = [(RunDir(path), read_submission(RunDir(path))) for path in self._folders()]
        known = [
            (run, facts) for run, facts in found if facts is not None and self.backend in (None, backend_name(facts))
        ]
        return sorted(known, key=lambda pair: float(pair[1]["created_at"]), reverse=True)

    def _folders(self) -> list[Path]:
        with contextlib.suppress(OSError):
            return [path for path in self._home.runs.iterdir() if RUN_ID.fullmatch(path.name)]
        return []


def backend_name(submission: dict[str, Any]) -> str:
    """Return where a run runs, by its submission: local where it says nothing."""
    return str(submission.get("backend", "local"))
