#!/bin/bash
#SBATCH -N 4
#SBATCH --ntasks-per-node 1
source env.sh
srun --label python -m torch.distributed.run --nproc_per_node=4 train.py --fsdp  # <- LN403
