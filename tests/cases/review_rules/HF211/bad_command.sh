torchrun --nproc_per_node 8 run_clm.py --fsdp "full_shard auto_wrap" --gradient_checkpointing True --fsdp_config '{"activation_checkpointing": true}'  # <- HF211
