#!/bin/bash
export NCCL_SOCKET_IFNAME=lo
torchrun --nproc-per-node=8 train.py
