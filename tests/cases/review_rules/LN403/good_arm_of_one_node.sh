#!/bin/bash
#SBATCH --nodes=4
#SBATCH --gpus-per-node=8
if [ "$SLURM_NNODES" -gt 1 ]; then
  srun torchrun --nnodes "$SLURM_NNODES" --nproc-per-node 8 --rdzv-backend c10d --rdzv-endpoint "$HEAD:29500" train.py
else
  torchrun --nproc-per-node 8 train.py
fi
