#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8
GPUS_PER_NODE=8
MASTER=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n1)
ARGS=(
  --nnodes $SLURM_NNODES
  --nproc_per_node $GPUS_PER_NODE
  --rdzv_id $SLURM_JOB_ID
  --rdzv_backend c10d
  --rdzv_endpoint $MASTER:29500
)
srun torchrun "${ARGS[@]}" train.py
