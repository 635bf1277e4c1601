#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
srun torchrun --nproc-per-node=8 train.py  # <- LN403
