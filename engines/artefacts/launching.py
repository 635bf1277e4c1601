"""The plan as a torchrun line and as a Slurm script."""

from engines.artefacts.job import Job

TORCHRUN_NAME = "torchrun.sh"
SLURM_NAME = "job.slurm"
CORES_PER_GPU = 8
"""Cores for each rank with a GPU where a request names none: the rank itself, its loader's workers, NCCL's threads."""
TIME_LIMIT_MINUTES = 24 * 60
"""Time limit where a request names none; a job that is cut goes back into the queue."""


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


def _asked(job: Job) -> str:
    """Return the directives for cores and time, and say where a number is a default."""
    cores = job.cores_per_node or job.per_node * (CORES_PER_GPU if job.device == "cuda" else 1)
    minutes = job.time_limit_minutes or TIME_LIMIT_MINUTES
    each = f"{CORES_PER_GPU} for each GPU" if job.device == "cuda" else "1 for each rank"
    of_cores = "" if job.cores_per_node else f"# cores of a whole node; a default of {each}: state hardware.cores\n"
    of_time = "" if job.time_limit_minutes else "# a default of one day: state slurm.time_limit_minutes\n"
    limit = f"{minutes // 1440}-{minutes % 1440 // 60:02d}:{minutes % 60:02d}:00"
    return f"{of_cores}#SBATCH --cpus-per-task={cores}\n{of_time}#SBATCH --time={limit}\n"


def slurm_script(job: Job) -> str:
    """Return an sbatch script: one task for each machine, torchrun within it."""
    gpus = f"#SBATCH --gpus-per-node={job.per_node}\n" if job.device == "cuda" else ""
    return (
        "#!/bin/bash\n"
        "#SBATCH --job-name=fsdp\n"
        f"#SBATCH --nodes={job.nodes}\n"
        "#SBATCH --ntasks-per-node=1\n"
        f"{gpus}{_asked(job)}"
        f"#SBATCH --signal=B:USR1@{job.save_before_s}\n"
        "#SBATCH --requeue\n"
        "#SBATCH --open-mode=append\n"
        "#SBATCH --output=%x-%j.out\n"
        "set -euo pipefail\n"
        'HEAD_NODE=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)\n'
        "PORT=$((15000 + SLURM_JOB_ID % 10000)) # another one for each job\n"
        "export OMP_NUM_THREADS=1\n"
        f"# USR1, {job.save_before_s} s before the time limit or at a preemption: SIGTERM lets the ranks save, then\n"
        "# back into the queue. train.py has to save on SIGTERM, within the 30 s after which torchrun kills a rank,\n"
        "# and to go on from its newest checkpoint.\n"
        'trap \'scancel --signal=TERM "$SLURM_JOB_ID.0"; wait; scontrol requeue "$SLURM_JOB_ID"\' USR1\n'
        "# Slurm 22.05 and later hand sbatch's cores on to srun only where it says so, else a task may get one core\n"
        'srun --cpus-per-task="$SLURM_CPUS_PER_TASK" --kill-on-bad-exit=1 torchrun \\\n'
        f'    --nnodes="$SLURM_NNODES" --nproc-per-node={job.per_node} \\\n'
        '    --rdzv-id="$SLURM_JOB_ID-${SLURM_RESTART_COUNT:-0}" --rdzv-backend=c10d \\\n'
        '    --rdzv-endpoint="$HEAD_NODE:$PORT" train.py &\n'
        "wait $! # in the background: bash would hold the trap back until srun has ended\n"
    )
