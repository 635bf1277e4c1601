"""Home: the folder in which the agent keeps its state, and who may read what.

Standard library only: the supervisor uses it too.
"""

import contextlib
import os
import secrets
from pathlib import Path

_KEY_BYTES = 32


class Home:
    """Every path below the agent's home folder.

    ```
    plans/<plan_id>/      what a plan wrote: configuration, manifest, payload copy
    runs/<run_id>/        one folder for each run, see `rundir.py`
    reports/<thread_id>/  what was reported
    calibration/          what trials measured, a file for each GPU and version of torch
    slots/                which run holds which cores and GPUs, see `slots.py`
    machine.toml          what runs may take of this machine, by its owner, see `capacity.py`
    secrets/approve.key   the approver's secret, mode 0600
    secrets/submit.key    the submitter's secret, mode 0600
    secrets/callback.key  what the runs' hints to the server are signed with, mode 0600
    callback.json         where a run's end is told to the server, written by the server, mode 0600
    threads.sqlite        the graph's checkpoints
    ```
    """

    def __init__(self, root: str | Path) -> None:
        """Name the paths; nothing is created."""
        self.root = Path(root).expanduser().absolute()
        self.plans = self.root / "plans"
        self.runs = self.root / "runs"
        self.reports = self.root / "reports"
        self.calibrations = self.root / "calibration"
        self.slots = self.root / "slots"
        self.machine = self.root / "machine.toml"
        self.secrets = self.root / "secrets"
        self.threads = self.root / "threads.sqlite"
        self.callback = self.root / "callback.json"

    def secret(self, right: str) -> bytes:
        """Return the secret of a right (`approve`, `submit` or `callback`), made at first use.

        Args:
            right: Which right the secret stands for.

        Raises:
            ValueError: There is no such right.
            PermissionError: The file can be read by others than its owner.
            OSError: The file cannot be made or read.
        """
        if right not in ("approve", "submit", "callback"):
            raise ValueError(f"no such right: {right!r} (approve, submit or callback)")
        path = self.secrets / f"{right}.key"
        if not path.exists():
            self._make_secret(path)
        if path.stat().st_mode & 0o077:
            raise PermissionError(f"{path} can be read by others; run: chmod 600 {path}")
        return bytes.fromhex(path.read_text(encoding="ascii").strip())

    def _make_secret(self, path: Path) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="ascii") as stream:
            stream.write(secrets.token_hex(_KEY_BYTES) + "\n")
        # link, not rename: of two first starts at once, the second keeps the first's secret
        with contextlib.suppress(FileExistsError):
            os.link(fresh, path)
        fresh.unlink()
