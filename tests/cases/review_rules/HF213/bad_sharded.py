from transformers import TrainingArguments


def arguments(out):
    config = {"state_dict_type": "SHARDED_STATE_DICT"}
    return TrainingArguments(
        output_dir=out,
        save_only_model=True,  # <- HF213
        fsdp=True,
        fsdp_config=config,
    )
