#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
NODES=8
head=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n1)
srun --kill-on-bad-exit=1 python -m torch.distributed.run --nnodes=$NODES --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint=$head:29500 train.py # <- LN403
