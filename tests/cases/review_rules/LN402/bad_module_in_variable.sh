LAUNCHER="torchrun --standalone --nnodes=1"
$LAUNCHER -m my.train --fsdp  # <- LN402
