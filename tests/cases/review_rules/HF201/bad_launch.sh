accelerate launch --use_fsdp --fsdp_version 2 --fsdp_sharding_strategy SHARD_GRAD_OP --num_processes 8 train.py  # <- HF201
