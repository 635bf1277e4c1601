#!/bin/bash
#SBATCH -G 2
#SBATCH -N 1
torchrun --standalone --nproc_per_node 4 train.py  # <- LN412
