#!/bin/bash
export CUDA_VISIBLE_DEVICES=0,1,2,3
PY=${PYTHON:-python}
$PY train.py --lr 1e-4  # <- LN401
