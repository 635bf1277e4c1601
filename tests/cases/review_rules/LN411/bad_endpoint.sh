#!/bin/bash
torchrun --nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint=localhost:29500 train.py  # <- LN411
