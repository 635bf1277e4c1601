HOST_NODE_ADDR=localhost:29400
torchrun --nnodes=${NNODES:-2} --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint=${HOST_NODE_ADDR} train.py  # <- LN411
