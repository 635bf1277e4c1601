#!/bin/bash
for host in a b; do
  ssh "$host" "cd /work && python -m torch.distributed.launch --nproc_per_node=8 train.py" &  # <- LN409
done
if [ -n "$LOCAL" ]; then python -m torch.distributed.launch --nproc_per_node=8 train.py; fi  # <- LN409
