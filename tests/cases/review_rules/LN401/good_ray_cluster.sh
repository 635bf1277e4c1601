#!/bin/bash
# needs a ray cluster of four nodes: the driver starts its workers there
DRIVER=(uv run python -u)
ENTRY="$HOME/examples/fsdp_entry.py"
"${DRIVER[@]}" examples/fsdp_entry.py trainer.strategy=fsdp2
