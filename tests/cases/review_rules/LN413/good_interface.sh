#!/bin/bash
#SBATCH --nodes=2
export NCCL_SOCKET_IFNAME=ib0
srun torchrun --nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint=$HEAD:29500 train.py
