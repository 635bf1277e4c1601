#!/bin/bash
#SBATCH --nodes=2
export MASTER_ADDR=127.0.0.1  # <- LN411
export MASTER_PORT=29500
srun torchrun --nnodes=$SLURM_NNODES --nproc-per-node=8 --node-rank=$SLURM_NODEID --master-addr=$HEAD train.py
