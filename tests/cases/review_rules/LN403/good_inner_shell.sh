#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8
HEAD=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
srun --kill-on-bad-exit=1 bash -c "
  ulimit -n 65536
  torchrun --nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-id=7 --rdzv-endpoint=$HEAD:29500 train.py
"
