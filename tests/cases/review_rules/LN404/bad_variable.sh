#!/bin/bash
#SBATCH --nodes=2
#SBATCH --gpus-per-node=8
#SBATCH --tasks-per-node=8  # <- LN404
export GPUS=8
srun torchrun --nnodes $SLURM_NNODES --nproc_per_node $GPUS \
  --rdzv_backend c10d --rdzv_endpoint $HEAD:29500 train.py
