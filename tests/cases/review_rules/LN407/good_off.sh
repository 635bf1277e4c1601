#!/bin/bash
export CUDA_LAUNCH_BLOCKING=0
export NCCL_DEBUG=WARN
# export NCCL_P2P_DISABLE=1
torchrun --nproc-per-node=8 train.py
