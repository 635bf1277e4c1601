#!/bin/bash
torchrun --nnodes=2 --node_rank=$1 --master_addr=$2 --master_port=29500 --nproc_per_node=8 train.py
