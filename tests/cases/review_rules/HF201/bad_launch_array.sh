#!/bin/bash
ARGS=(
  --use_fsdp
  --fsdp_version=2
  --fsdp_sharding_strategy=HYBRID_SHARD  # <- HF201
  --fsdp_auto_wrap_policy=TRANSFORMER_BASED_WRAP
)
accelerate launch "${ARGS[@]}" \
  --num_processes 8 train.py --bf16
