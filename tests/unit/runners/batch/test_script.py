"""The sbatch script that is written: what it asks for, and that it passes our own review and shellcheck."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from contracts.launch import LaunchRequest, LaunchResources
from contracts.slurm import SlurmOptions
from engines.review.engine import review_paths
from engines.review.scripts import read_script
from runners.batch.script import sbatch_script
from runners.batch.submissions import SubmissionDir
from runners.launching import torchrun_arguments
from runners.rundir import RunDir

MARKER = "r-0123456789ab.deadbeefdeadbeef"
FULL = {
    "partition": "gpu",
    "account": "lab",
    "qos": "high",
    "constraint": "h100&ib",
    "reservation": "week",
    "exclude": ("bad1",),
    "gpu_type": "h100",
    "memory_gib_per_node": 100.5,
    "time_limit_minutes": 3 * 1440 + 61,
    "sbatch_options": ("--licenses=scratch", "--exclusive"),
    "modules": ("cuda/12.4", "nccl"),
    "interface": "ib0",
    "save_before_s": 300,
}


def launch(options: dict[str, Any], device: str = "cuda", nodes: int = 4) -> dict[str, Any]:
    resources = LaunchResources.model_validate(
        {"nodes": nodes, "ranks_per_node": 8, "device": device, "cores_per_node": 96}
    )
    made = LaunchRequest(
        kind="train",
        interpreter=sys.executable,
        argv=(*torchrun_arguments(8, nodes), "/plans/a b/fsdp_sft.py", "--config", "/plans/a b/config.json"),
        workdir="/plans",
        resources=resources,
        writes=("{run_dir}",),
        inputs=(),
        slurm=SlurmOptions.model_validate(options),
    )
    return made.model_dump(mode="json")


def text(folder: Path, options: dict[str, Any], excluded: tuple[str, ...] = (), **more: Any) -> str:
    run = RunDir(folder / "r-0123456789ab")
    return sbatch_script(run, SubmissionDir(run, 2), launch(options, **more), MARKER, list(excluded))


def directives(script: str) -> dict[str, str]:
    lines = [line.removeprefix("#SBATCH --") for line in script.splitlines() if line.startswith("#SBATCH ")]
    return {name: value for name, _, value in (line.partition("=") for line in lines)}


def test_everything_that_was_asked_for(tmp_path: Path) -> None:
    found = directives(text(tmp_path, FULL, ("n7", "n8")))
    assert found == {
        "job-name": "fsdp-r-0123456789ab-deadbeef-2",
        "nodes": "4",
        "ntasks-per-node": "1",
        "cpus-per-task": "96",
        "gres": "gpu:h100:8",
        "mem": "102912M",  # 100.5 * 1024
        "partition": "gpu",
        "account": "lab",
        "qos": "high",
        "constraint": "h100&ib",
        "reservation": "week",
        "exclude": "bad1,n7,n8",
        "time": "3-01:01:00",
        "signal": "B:USR1@300",
        "open-mode": "append",
        "output": f"{tmp_path}/r-0123456789ab/slurm/0002/job-%j.out",
        "requeue": "",
        "licenses": "scratch",
        "exclusive": "",
    }


def test_what_is_not_asked_for_is_left_to_the_site(tmp_path: Path) -> None:
    found = directives(text(tmp_path, {}, device="cpu", nodes=1))
    assert not {"partition", "account", "qos", "time", "mem", "gres", "exclude", "constraint"} & set(found)
    assert "module load" not in text(tmp_path, {})


def test_modules_are_loaded_in_a_shell_that_knows_the_command(tmp_path: Path) -> None:
    lines = text(tmp_path, FULL).splitlines()
    assert lines[0] == "#!/bin/bash -l"
    assert lines.index("module load cuda/12.4") < lines.index("module load nccl")


def test_a_person_reads_what_will_run(tmp_path: Path) -> None:
    script = text(tmp_path, FULL)
    commented = " ".join(line.removeprefix("#").strip(" \\") for line in script.splitlines() if line.startswith("#  "))
    assert "-m torch.distributed.run --nnodes=4 --nproc-per-node=8" in commented
    assert "'/plans/a b/fsdp_sft.py' --config '/plans/a b/config.json'" in commented
    assert 'exec "$python" -I -S "$supervisor" batch "$run_dir" 2\n' in script


@pytest.mark.parametrize("options", [{}, FULL], ids=["bare", "full"])
def test_our_own_review_has_nothing_to_say(tmp_path: Path, options: dict[str, Any]) -> None:
    path = tmp_path / "job.sbatch"
    path.write_text(text(tmp_path, options))
    assert read_script(str(path), path.read_text()).directive("nodes") is not None  # it is read as what it is
    assert list(review_paths([path]).findings) == []


@pytest.mark.parametrize("options", [{}, FULL], ids=["bare", "full"])
@pytest.mark.parametrize("folder", ["plain", "it's a folder"])
def test_shellcheck_has_nothing_to_say(tmp_path: Path, options: dict[str, Any], folder: str) -> None:
    program = shutil.which("shellcheck") or shutil.which("shellcheck", path=str(Path(sys.executable).parent))
    if program is None:
        pytest.skip("shellcheck is not installed: apt-get install shellcheck")
    path = tmp_path / "job.sbatch"
    path.write_text(text(tmp_path / folder, options))
    done = subprocess.run([program, "--severity=style", path], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(
    "options",
    [
        {"partition": "a b"},
        {"account": "x\n#SBATCH --nodes=9"},
        {"constraint": "$(id)"},
        {"modules": ("cuda; id",)},
        {"modules": ("-r",)},
        {"sbatch_options": ("--wrap=ls -l",)},
        {"sbatch_options": ("-p",)},
        {"sbatch_options": ("--job-name=mine",)},
        {"sbatch_options": ("--array=0-9",)},
        {"interface": "ib0 -x"},
        {"time_limit_minutes": 0},
    ],
)
def test_what_would_be_something_else_in_a_script_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        SlurmOptions.model_validate(options)


def test_a_limit_that_leaves_no_time_to_train_is_refused_with_the_arithmetic() -> None:
    with pytest.raises(ValueError, match=r"600 - 900 = -300 s are left"):
        SlurmOptions(time_limit_minutes=10, save_before_s=900)
    with pytest.raises(ValueError, match=r"120 - 120 = 0 s are left"):
        SlurmOptions(time_limit_minutes=2)
    assert SlurmOptions(time_limit_minutes=1, save_before_s=10).time_limit_minutes == 1
    assert SlurmOptions(save_before_s=3600).time_limit_minutes is None
