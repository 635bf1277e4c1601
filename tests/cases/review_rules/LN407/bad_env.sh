env NCCL_P2P_DISABLE=1 torchrun --nproc-per-node 8 train.py  # <- LN407
