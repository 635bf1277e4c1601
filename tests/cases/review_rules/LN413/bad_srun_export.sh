#!/bin/bash
#SBATCH --nodes=2
srun --export=ALL,NCCL_SOCKET_IFNAME=lo torchrun --nnodes 2 --nproc-per-node 8 --rdzv-backend c10d --rdzv-endpoint $H:1 train.py  # <- LN413
