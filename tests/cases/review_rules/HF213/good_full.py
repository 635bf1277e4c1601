from transformers import TrainingArguments


def arguments(out):
    return TrainingArguments(
        output_dir=out,
        save_only_model=True,
        fsdp=True,
        fsdp_config={"state_dict_type": "FULL_STATE_DICT"},
    )
