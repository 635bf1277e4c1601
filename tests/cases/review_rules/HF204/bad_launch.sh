accelerate launch --use_fsdp --fsdp_version 2 --fsdp_reshard_after_forward FULL_SHARD train.py  # <- HF204
