#!/bin/bash
#SBATCH --gpus-per-node=8
torchrun --nproc-per-node=8 train.py
