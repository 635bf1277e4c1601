#!/bin/sh
export OMP_NUM_THREADS=8
python3 -u finetune.py --enable-fsdp --model 7b  # <- LN401
