#!/bin/bash
NGPU=${NGPU:-8}
torchrun --nproc_per_node=${NGPU} --rdzv_backend c10d --rdzv_endpoint="localhost:0" train.py --config config.toml
