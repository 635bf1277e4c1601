export FSDP_VERSION=2
cat > fsdp.yaml <<EOF
distributed_type: FSDP
fsdp_config:
  fsdp_version: 2
  fsdp_sharding_strategy: SHARD_GRAD_OP  # <- HF201
  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP
EOF
accelerate launch --config_file fsdp.yaml --num_processes 8 train.py
