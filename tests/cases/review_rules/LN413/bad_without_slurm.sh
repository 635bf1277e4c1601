export NCCL_SOCKET_IFNAME=lo GLOO_SOCKET_IFNAME=lo  # <- LN413
torchrun --nnodes=2 --node-rank=$1 --master-addr=10.0.0.1 --nproc-per-node=8 train.py
