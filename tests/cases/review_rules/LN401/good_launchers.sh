#!/bin/bash
torchrun --nproc-per-node=8 train_fsdp.py
accelerate launch --config_file fsdp.yaml train_fsdp.py
python -m torch.distributed.run --nproc-per-node=8 train_fsdp.py
python convert_fsdp_checkpoint.py --fsdp true
python train.py --fsdp false
echo "python train_fsdp.py"
