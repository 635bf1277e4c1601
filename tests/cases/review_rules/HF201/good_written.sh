#!/bin/bash
STRATEGY=FULL_SHARD
VERSION=2
cat <<EOF > "$1.yaml"
distributed_type: FSDP
fsdp_config:
  fsdp_version: 1
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
  fsdp_sharding_strategy: HYBRID_SHARD
EOF
cat > two.yaml <<EOF
distributed_type: FSDP
fsdp_config:
  fsdp_version: $VERSION
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
  fsdp_sharding_strategy: ${UNKNOWN}
EOF
accelerate launch --config_file two.yaml train.py
