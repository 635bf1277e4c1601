#!/bin/bash
# export NCCL_BLOCKING_WAIT=1
torchrun --nproc-per-node=8 train.py
