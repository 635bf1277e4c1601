CUDA_VISIBLE_DEVICES=0,1 accelerate launch --num_processes 4 --use_fsdp --fsdp_auto_wrap_policy TRANSFORMER_BASED_WRAP train.py  # <- LN412
