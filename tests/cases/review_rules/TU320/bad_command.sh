#!/bin/bash
tune run --nproc_per_node 8 full_finetune_distributed --config llama3_1/8B_full optimizer_in_bwd=True gradient_accumulation_steps=4  # <- TU320
