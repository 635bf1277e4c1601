from transformers import TrainingArguments


def arguments(out):  # accelerate
    return TrainingArguments(output_dir=out, save_only_model=True, load_best_model_at_end=True)
