#!/bin/bash
unset CUDA_DEVICE_MAX_CONNECTIONS
torchrun --nproc-per-node=8 train.py
