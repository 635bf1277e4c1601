#!/bin/bash
export MASTER_PORT=29500
python -m torch.distributed.run --standalone \
    train.py --batch 4
torchrun --rdzv-backend=c10d --rdzv-endpoint=localhost:0 train.py  # <- LN402
