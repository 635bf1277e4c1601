#!/bin/bash
#SBATCH --nodes=1
#SBATCH --gres=gpu:a100:4
WORKERS=8
torchrun --nproc_per_node=$WORKERS train.py  # <- LN412
