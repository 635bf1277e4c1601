#!/bin/bash
#SBATCH --nodes=1
srun torchrun --nproc-per-node=8 train.py
