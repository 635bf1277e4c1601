docker run -e NCCL_DEBUG=INFO -e NCCL_IB_DISABLE=1 img torchrun --nproc-per-node 8 train.py  # <- LN407
