#!/bin/bash
export CUDA_VISIBLE_DEVICES=$DEVICES
torchrun --nproc-per-node=8 train.py
torchrun --nproc-per-node=gpu train.py
