#!/bin/bash
export TORCH_NCCL_BLOCKING_WAIT=1
export TORCH_NCCL_ASYNC_ERROR_HANDLING=1
torchrun --nproc-per-node=8 train.py
