#!/bin/bash
srun --export=ALL,NCCL_ASYNC_ERROR_HANDLING=1 torchrun --nproc-per-node 8 train.py  # <- LN406
