#!/bin/bash
#SBATCH --job-name=fsdp
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8
srun python -u train.py --model 7b  # <- LN405
