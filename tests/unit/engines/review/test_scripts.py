"""Launch scripts as commands, variables and directives."""

import pytest

from engines.review.scripts import Command, read_script

SLURM = """\
#!/bin/bash
#SBATCH --nodes=2
#SBATCH -n 16
export GPUS=8   # on each node
NAME="a b" OMP_NUM_THREADS=1 srun torchrun \\
    --nproc_per_node $GPUS \\
    --nnodes=${SLURM_NNODES:-2} train.py --nproc=3
# torchrun other.py
cd x && python prepare.py
"""


def test_slurm_script() -> None:
    script = read_script("job.sbatch", SLURM)
    assert [(d.name, d.value, d.line) for d in script.directives] == [("nodes", "2", 2), ("ntasks", "16", 3)]
    assert [(s.name, s.value, s.line) for s in script.settings] == [
        ("GPUS", "8", 4),
        ("NAME", "a b", 5),
        ("OMP_NUM_THREADS", "1", 5),
    ]
    torchrun, python = script.commands
    assert (torchrun.launcher(), torchrun.program(), torchrun.line) == ("torchrun", "train.py", 5)
    assert (python.launcher(), python.program(), python.line) == ("python", "prepare.py", 9)
    assert script.number(torchrun.option("--nproc-per-node")) == 8
    assert script.number(torchrun.option("--nnodes")) == 2
    assert torchrun.option("--rdzv-id") is None


@pytest.mark.parametrize(
    ("line", "launcher"),
    [
        ("/opt/bin/python3.11 -m torch.distributed.run x.py", "torchrun"),
        ("python -m torch.distributed.launch x.py", "launch"),
        ("accelerate launch x.py", "accelerate"),
        ("srun python x.py", "python"),
        ("ls x.py", ""),
    ],
)
def test_launchers(line: str, launcher: str) -> None:
    assert Command(tuple(line.split()), 1).launcher() == launcher


def test_a_variable_that_falls_back_to_a_default() -> None:
    script = read_script("run.sh", "NGPU=${NGPU:-4}\ntorchrun --nproc-per-node=$NGPU x.py\n")
    assert script.number("${NGPU}") == 4
    assert script.number("$OTHER") is None


def test_commands_of_an_inner_shell_keep_their_lines_and_what_starts_them() -> None:
    script = read_script(
        "job.sh",
        "srun -N 2 bash -c '\nexport MASTER_PORT=29500\ntorchrun --nproc-per-node=8 \\\n  train.py; echo done\n'\n"
        'ssh "$HOST" "cd /work && torchrun --nproc-per-node=4 train.py" &\n',
    )
    assert [setting.name for setting in script.settings] == ["MASTER_PORT"]
    launches = [command for command in script.commands if command.launcher() == "torchrun"]
    assert [(command.line, command.words[0]) for command in launches] == [(3, "srun"), (6, "torchrun")]
    assert [command.option("--nproc-per-node") for command in launches] == ["8", "4"]


def test_separators_within_quotes_and_substitutions_part_no_command() -> None:
    script = read_script("job.sh", 'torchrun --rdzv-endpoint="$(hostnames | head -n 1):29500" a.py && torchrun b.py\n')
    assert [command.program() for command in script.commands] == ["a.py", "b.py"]
    looped = read_script(
        "job.sh", "for s in 1 2; do torchrun train.py --seed $s; done\nif ! torchrun x.py; then exit 1; fi\n"
    )
    assert [command.program() for command in looped.commands if command.launcher()] == ["train.py", "x.py"]
