"""What is set under a condition may not be set together."""

from transformers import TrainingArguments


def arguments(sharded, small):
    made = TrainingArguments("out", fsdp=True)
    if sharded:
        made.fsdp_config = {"version": 2, "state_dict_type": "SHARDED_STATE_DICT"}
    if small:
        made.save_only_model = True
    return made
