#!/bin/bash
cd src && python prepare.py --steps 10 \
  --out /tmp/out
CUDA_VISIBLE_DEVICES=0,1 python train.py  # <- LN401
