#!/bin/bash
export CUDA_DEVICE_MAX_CONNECTIONS=1  # <- LN414
torchrun --nproc-per-node=8 train.py
