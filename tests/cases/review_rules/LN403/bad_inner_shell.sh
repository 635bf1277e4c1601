#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8
srun --kill-on-bad-exit=1 bash -c '
  ulimit -n 65536
  torchrun --nproc-per-node=8 train.py --config cfg.yaml  # <- LN403
'
