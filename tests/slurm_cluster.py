"""A real Slurm for tests, by the script that anybody may use: `scripts/slurm_on_one_machine.py`."""

import contextlib
import importlib.util
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_SCRIPT = Path(__file__).parents[1] / "scripts" / "slurm_on_one_machine.py"
_spec = importlib.util.spec_from_file_location("slurm_on_one_machine", _SCRIPT)
assert _spec is not None
assert _spec.loader is not None
script = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(script)

NODES = 3
CORES = 8
PATIENCE_S = 120.0


class Cluster:
    """One Slurm with three emulated nodes, and hands to harm it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def call(self, *words: str) -> str:
        """Run one of Slurm's commands and return what it printed."""
        return str(script.call(self.folder, *words))

    def kill(self, name: str) -> None:
        """Kill slurmctld or slurmd.n2 without warning."""
        pid = script.process_of(self.folder, name)
        assert pid is not None, f"{name} does not run"
        os.kill(pid, signal.SIGKILL)
        self.until(lambda: script.process_of(self.folder, name) is None)

    def mend(self) -> None:
        """Start what does not run, take back what was changed, and wait until all nodes are free."""
        if script.process_of(self.folder, "slurmctld") is None:
            script.start_controller(self.folder)
        for name in self.nodes:
            if script.process_of(self.folder, f"slurmd.{name}") is None:
                script.start_node(self.folder, name)
        self.until(lambda: self.call("scontrol", "ping").rstrip().endswith("UP"))
        self.call("scancel", "--user", script.getpass.getuser())
        self.give()
        self.until(lambda: set(self.states()) == {"idle"} and not self.call("squeue", "-h").strip())

    def give(self, cores: int | None = None) -> None:
        """Leave so many cores of the first node, and nothing else; None: everything."""
        most = "UNLIMITED" if cores is None else str(cores)
        for partition in ("train", "urgent"):
            self.call("scontrol", "update", f"PartitionName={partition}", f"MaxCPUsPerNode={most}")
        for name in self.nodes[1:]:
            if cores is not None:
                self.call("scontrol", "update", f"NodeName={name}", "State=DRAIN", "Reason=test")
            elif "drain" in self.call("sinfo", "-h", "-n", name, "-o", "%T"):
                self.call("scontrol", "update", f"NodeName={name}", "State=RESUME")

    @property
    def nodes(self) -> list[str]:
        """Names of the nodes."""
        return [f"n{number + 1}" for number in range(NODES)]

    def states(self) -> list[str]:
        """State of each node."""
        return self.call("sinfo", "-h", "-N", "-p", "train", "-o", "%t").split()

    def jobs(self) -> list[str]:
        """Names of all jobs that Slurm remembers, the newest last."""
        return self.call("squeue", "-h", "-t", "all", "-S", "i", "-o", "%j").split()

    def until(self, good: Any, patience_s: float = PATIENCE_S) -> None:
        """Look until it is good."""
        deadline = time.monotonic() + patience_s
        while not good():
            assert time.monotonic() < deadline, f"waited {patience_s} s; nodes {self.states()}, jobs {self.jobs()}"
            time.sleep(0.1)


@pytest.fixture(scope="module")
def whole_cluster() -> Iterator[Cluster]:
    """A Slurm for a module's tests, in a folder with a short name."""
    if lacking := script.missing_programs():
        pytest.skip(f"Slurm is not installed ({', '.join(lacking)}): apt-get install slurm-wlm munge")
    folder = Path(tempfile.mkdtemp(prefix="fsdp-slurm-"))
    try:
        script.start(folder, NODES, CORES, 20)
        yield Cluster(folder)
    finally:
        script.stop(folder)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def cluster(whole_cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """The Slurm, in order, with this process's commands pointed at it."""
    for name in list(os.environ):
        if name.startswith(("SLURM_", "SBATCH_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("SLURM_CONF", str(whole_cluster.folder / "slurm.conf"))
    whole_cluster.mend()
    yield whole_cluster
    with contextlib.suppress(AssertionError):
        whole_cluster.mend()
