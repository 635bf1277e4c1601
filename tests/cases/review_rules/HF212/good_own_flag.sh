#!/bin/bash
# a program's own --fsdp, and a configuration in a file that may ask for version 1
torchrun --nproc-per-node=8 pretrain.py --fsdp hybrid
torchrun --nproc-per-node=8 finetune.py --output_dir out --fsdp "hybrid_shard auto_wrap" --fsdp_config fsdp.json
