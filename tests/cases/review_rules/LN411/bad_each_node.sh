#!/bin/bash
#SBATCH --nodes=4
export MASTER_ADDR=$(hostname)
srun bash -c 'export MASTER_ADDR=$(hostname); torchrun --nnodes=4 --nproc-per-node=8 --node-rank=$SLURM_NODEID --master-addr=$MASTER_ADDR train.py'  # <- LN411
