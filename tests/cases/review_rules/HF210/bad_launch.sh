accelerate launch --use_fsdp --fsdp_version 2 --fsdp_state_dict_type LOCAL_STATE_DICT --fsdp_auto_wrap_policy TRANSFORMER_BASED_WRAP train.py  # <- HF210
