#!/bin/bash -l
#SBATCH --job-name=ft
#SBATCH --nodes=4
#SBATCH --ntasks=32  # <- LN404
#SBATCH --gpus-per-node=8

module load cuda
LAUNCHER="torchrun --nproc_per_node=8"
srun $LAUNCHER train.py  # <- LN403
