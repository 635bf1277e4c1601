#!/usr/bin/env bash
set -euo pipefail
NODES=${NODES:-2}
GPUS=8
export NCCL_DEBUG=INFO
torchrun --nnodes=2 --nproc_per_node=$GPUS --node_rank=$1 pretrain.py --fsdp  # <- LN403
