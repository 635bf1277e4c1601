#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-node=4
# pretrain.py takes its device from os.environ["LOCAL_RANK"]
srun --kill-on-bad-exit=1 python -u pretrain.py --steps 1000  # <- LN405
