#!/bin/bash
export CUDA_DEVICE_MAX_CONNECTIONS=8
torchrun --nproc-per-node=8 train.py
