accelerate launch --use_fsdp --fsdp_reshard_after_forward false --num_processes 4 train.py  # <- HF203
