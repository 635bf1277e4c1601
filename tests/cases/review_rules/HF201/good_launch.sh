#!/bin/bash
# what stands after the program is the program's own, and a version that is not known says nothing
VERSION=$1
accelerate launch --use_fsdp --fsdp_version "$VERSION" --fsdp_sharding_strategy HYBRID_SHARD \
  --fsdp_auto_wrap_policy TRANSFORMER_BASED_WRAP train.py
accelerate launch --use_fsdp --fsdp_version 2 --fsdp_auto_wrap_policy TRANSFORMER_BASED_WRAP train.py \
  --fsdp_sharding_strategy HYBRID_SHARD
accelerate launch --config_file fsdp.yaml train.py --fsdp_version 2
