#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4  # <- LN404
#SBATCH --gpus-per-node=4
HEAD=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
ARGS="--nproc-per-node=$SLURM_GPUS_PER_NODE --nnodes=$SLURM_NNODES --rdzv-backend=c10d --rdzv-id=$SLURM_JOB_ID"
srun torchrun $ARGS --rdzv-endpoint=$HEAD:29400 train.py
