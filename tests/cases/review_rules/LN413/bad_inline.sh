#!/bin/bash
#SBATCH -N 2
GLOO_SOCKET_IFNAME=lo srun torchrun --nnodes=2 --nproc-per-node=8 --rdzv-endpoint=$HEAD:29500 train.py  # <- LN413
