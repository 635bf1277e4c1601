torchrun --nproc_per_node 8 run_clm.py --output_dir o --fsdp "hybrid_shard auto_wrap"  # <- HF212
