#!/bin/bash
export NCCL_IB_HCA=mlx5
export TORCH_DISTRIBUTED_DEBUG=OFF
torchrun --nproc-per-node=8 train.py
