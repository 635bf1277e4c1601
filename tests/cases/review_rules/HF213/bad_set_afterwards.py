from transformers import TrainingArguments
args = TrainingArguments("o")
args.fsdp = True
args.fsdp_config = {"version": 2, "state_dict_type": "SHARDED_STATE_DICT"}
args.save_only_model = True  # <- HF213
