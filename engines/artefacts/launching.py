"""The plan as a torchrun line and as a Slurm script."""

from engines.artefacts.job import Job

TORCHRUN_NAME = "torchrun.sh"
SLURM_NAME = "job.slurm"


def torchrun_line(job: Job, script: str = "train.py") -> str:
    """Return the command for one machine, or for each of several."""
    if job.nodes == 1:
        return f"torchrun --standalone --nproc-per-node={job.per_node} {script}"
    return (
        f"torchrun --nnodes={job.nodes} --nproc-per-node={job.per_node} --rdzv-id=JOB --rdzv-backend=c10d "
        f"--rdzv-endpoint=HEAD_NODE:29500 {script}"
    )


def torchrun_script(job: Job) -> str:
    """Return a shell script with the command."""
    note = "" if job.nodes == 1 else "# the same on every machine; HEAD_NODE is the first one's address, JOB any name\n"
    return f"#!/bin/sh\n{note}exec {torchrun_line(job)}\n"


def slurm_script(job: Job) -> str:
    """Return an sbatch script: one task for each machine, torchrun within it."""
    gpus = f"#SBATCH --gpus-per-node={job.per_node}\n" if job.device == "cuda" else ""
    return (
        "#!/bin/bash\n"
        "#SBATCH --job-name=fsdp\n"
        f"#SBATCH --nodes={job.nodes}\n"
        "#SBATCH --ntasks-per-node=1\n"
        f"{gpus}"
        "#SBATCH --signal=B:USR1@120\n"
        "#SBATCH --requeue\n"
        "#SBATCH --open-mode=append\n"
        "#SBATCH --output=%x-%j.out\n"
        "set -euo pipefail\n"
        'HEAD_NODE=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)\n'
        "PORT=$((15000 + SLURM_JOB_ID % 10000)) # another one for each job\n"
        "export OMP_NUM_THREADS=1\n"
        "# USR1, two minutes before the time limit or at a preemption: SIGTERM lets the ranks save, then back into\n"
        "# the queue. train.py has to save on SIGTERM and to go on from its newest checkpoint.\n"
        'trap \'scancel --signal=TERM "$SLURM_JOB_ID.0"; wait; scontrol requeue "$SLURM_JOB_ID"\' USR1\n'
        "srun --kill-on-bad-exit=1 torchrun \\\n"
        f'    --nnodes="$SLURM_NNODES" --nproc-per-node={job.per_node} \\\n'
        '    --rdzv-id="$SLURM_JOB_ID-${SLURM_RESTART_COUNT:-0}" --rdzv-backend=c10d \\\n'
        '    --rdzv-endpoint="$HEAD_NODE:$PORT" train.py &\n'
        "wait $! # in the background: bash would hold the trap back until srun has ended\n"
    )
