#!/bin/bash
# on the command line both are texts, of which none is false to the launcher
accelerate launch --use_fsdp --fsdp_auto_wrap_policy TRANSFORMER_BASED_WRAP --fsdp_sync_module_states false train.py
