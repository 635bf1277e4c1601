#!/bin/bash
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8
torchrun --nnodes=1 --nproc-per-node=8 --standalone train.py
