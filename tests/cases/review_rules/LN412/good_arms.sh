#!/bin/bash
if [ -n "$DEBUG" ]; then
  WORKERS=2
  export CUDA_VISIBLE_DEVICES=0,1
else
  WORKERS=8
fi
torchrun --standalone --nproc-per-node "$WORKERS" train.py
