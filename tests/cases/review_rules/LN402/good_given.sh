#!/bin/bash
torchrun --nproc-per-node=gpu train.py
torchrun --nproc_per_node 8 train.py
torchrun $DISTRIBUTED_ARGS train.py
