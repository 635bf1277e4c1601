#!/bin/bash
export NCCL_IB_DISABLE="1"  # <- LN407
export TORCH_DISTRIBUTED_DEBUG=DETAIL  # <- LN407
torchrun --nproc-per-node=8 train.py
