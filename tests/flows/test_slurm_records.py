"""A Slurm that has forgotten a job still has its text file of completed jobs; and the script leaves nothing behind."""

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from runners.batch.jobs import find_named, look_for
from tests.slurm_cluster import Cluster, script

pytestmark = [pytest.mark.slurm, pytest.mark.timeout(600)]


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """A Slurm for one test, whose memory may be taken from it."""
    if lacking := script.missing_programs():
        pytest.skip(f"Slurm is not installed ({', '.join(lacking)}): apt-get install slurm-wlm munge")
    folder = Path(tempfile.mkdtemp(prefix="fsdp-slurm-"))
    monkeypatch.setenv("SLURM_CONF", str(folder / "slurm.conf"))
    try:
        script.start(folder)
        yield Cluster(folder)
    finally:
        script.stop(folder)
        shutil.rmtree(folder, ignore_errors=True)


def test_a_job_that_slurmctld_has_forgotten_is_found_in_its_records(own: Cluster) -> None:
    job = int(own.call("sbatch", "--parsable", "-J", "gone", "-o", "/dev/null", "--wrap", "exit 3"))
    own.until(lambda: look_for([job]).jobs[job].over)
    own.kill("slurmctld")
    script.start_controller(own.folder, "-c")  # without what it remembered
    own.until(lambda: own.call("scontrol", "ping").rstrip().endswith("UP"))
    assert own.call("squeue", "-h", "-t", "all").strip() == ""
    found = look_for([job])
    assert (found.jobs[job].state, found.jobs[job].exit_code, found.silent) == ("FAILED", "3:0", "")
    assert find_named("gone") == (job, "")
    assert find_named("never") == (None, "")
    assert look_for([job + 700]).jobs == {}


def test_stop_ends_everything_that_start_started(own: Cluster) -> None:
    own.call("sbatch", "-o", "/dev/null", "--wrap", "sleep 600")
    own.until(lambda: "RUNNING" in own.call("squeue", "-h", "-o", "%T"))
    names = ("munged", "slurmctld", "slurmd.n1", "slurmd.n2")
    pids = {name: script.process_of(own.folder, name) for name in names}
    assert all(pids.values())
    script.stop(own.folder)
    assert [script.process_of(own.folder, name) for name in names] == [None] * 4
    for pid in pids.values():
        assert not _lives(pid)
    script.stop(own.folder)  # once more is no error


def test_a_second_start_goes_on_from_the_first(own: Cluster) -> None:
    own.kill("slurmctld")
    os.kill(script.process_of(own.folder, "slurmd.n1"), signal.SIGKILL)
    script.stop(own.folder)
    script.start(own.folder)
    assert own.call("srun", "-N2", "-n2", "echo", "here").split() == ["here", "here"]


def _lives(pid: int) -> bool:
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False
