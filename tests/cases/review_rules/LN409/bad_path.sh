#!/bin/bash
export OMP_NUM_THREADS=1
/opt/venv/bin/python3.11 -m torch.distributed.launch --nproc_per_node 4 --use_env train.py --lr 1e-4  # <- LN409
