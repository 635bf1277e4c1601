#!/bin/bash
#SBATCH --nodes=2-4
#SBATCH --ntasks-per-node=1
head=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n1)
srun torchrun --nnodes 3 --nproc-per-node 8 --rdzv-backend c10d --rdzv-endpoint $head:29500 train.py
