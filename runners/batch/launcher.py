"""The launcher of a start in an allocation: srun, one task on each node. Standard library only."""

import os
import shutil
from pathlib import Path
from typing import Any

from runners.batch.calls import SlurmAbsent
from runners.capacity import demand_of
from runners.environment import filled, job_environment
from runners.rundir import RunDir

NODE = Path(__file__).with_name("node.py").resolve()
_KEPT = ("SLURM_", "SLURMD_", "PMI", "MUNGE")
"""What srun and the ranks need of the batch step's environment."""


def as_started(run: RunDir, number: int, launch: dict[str, Any], address: str, port: int) -> dict[str, Any]:
    """Return a launch as it is started here: srun in front, and what each node becomes beside it.

    Args:
        run: The run folder.
        number: The start.
        launch: The approved LaunchRequest as plain JSON data.
        address: Where the ranks meet.
        port: The port there.

    Raises:
        SlurmAbsent: srun is not installed on this node.
    """
    places = {"{first_node}": address, "{port}": str(port)}

    def fill(word: str) -> str:
        for name, value in places.items():
            word = word.replace(name, value)
        return filled(word, run, number)

    task = {"interpreter": launch["interpreter"], "argv": [fill(word) for word in launch["argv"]]}
    env = {name: fill(value) for name, value in launch["env"].items()}
    return launch | {
        "interpreter": srun(),
        "argv": [*srun_words(launch, run), launch["interpreter"], "-I", "-S", str(NODE), "{attempt_dir}"],
        "task": task | {"workdir": launch["workdir"], "ranks": launch["resources"]["ranks_per_node"]},
        "env": env,
        "env_passed": [*launch["env_passed"], *_slurm_names(bool((launch.get("slurm") or {}).get("modules")))],
        "workdir": str(run.path),
    }


def step_environment(run: RunDir, number: int, launch: dict[str, Any], marker: str) -> dict[str, str]:
    """Return the variables of a step of ours, such as the preflight: those of the job.

    Args:
        run: The run folder.
        number: The start.
        launch: The approved LaunchRequest as plain JSON data.
        marker: What the run's processes are known by.
    """
    passing = [*launch["env_passed"], *_slurm_names(bool((launch.get("slurm") or {}).get("modules")))]
    return job_environment(launch | {"env_passed": passing}, run, number, marker)


def srun() -> str:
    """Return the path of srun.

    Raises:
        SlurmAbsent: It is not installed on this node.
    """
    found = shutil.which("srun")
    if found is None:
        raise SlurmAbsent("srun is not in PATH on the first node of the job")
    return found


def srun_words(launch: dict[str, Any], run: RunDir) -> list[str]:
    """Return srun's options: one task on each node, with all that the job has there."""
    options: dict[str, Any] = launch.get("slurm") or {}
    nodes, demand = launch["resources"]["nodes"], demand_of(launch)
    words = [
        f"--nodes={nodes}",
        f"--ntasks={nodes}",
        "--ntasks-per-node=1",
        # since Slurm 22.05 a step does not take it from its job
        f"--cpus-per-task={max(1, demand.cores)}",
        "--kill-on-bad-exit=1",
        "--export=ALL",
    ]
    if demand.gpus:
        words.append("--gres=" + ":".join(filter(None, ("gpu", options.get("gpu_type"), str(demand.gpus)))))
    if image := options.get("container_image"):
        words += [f"--container-image={image}", f"--container-mounts={','.join(_mounts(launch, run, options))}"]
    return words


def _mounts(launch: dict[str, Any], run: RunDir, options: dict[str, Any]) -> list[str]:
    """Return what the container has to see: the run, our own files for it, and every approved input."""
    inputs = {os.path.dirname(str(entry["path"])) for entry in launch["inputs"] if entry["role"] != "interpreter"}  # noqa: PTH120
    folders = sorted({str(run.path), str(NODE.parent), launch["workdir"], *inputs})
    return [*(f"{folder}:{folder}" for folder in folders), *options.get("container_mounts", ())]


def _slurm_names(everything: bool) -> list[str]:
    """Return names of variables that pass: Slurm's own, or all where modules were asked to set some."""
    return [name for name in os.environ if everything or name.startswith(_KEPT)]
