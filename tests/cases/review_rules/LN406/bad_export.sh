#!/bin/bash
export NCCL_BLOCKING_WAIT=1  # <- LN406
torchrun --nproc-per-node=8 train.py
