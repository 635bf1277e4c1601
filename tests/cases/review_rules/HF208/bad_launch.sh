accelerate launch --use_fsdp --fsdp_version 2 --num_processes 8 train.py  # <- HF208
