"""A model of forty thousand parameters with dropout, a tokenizer and some lines to train on."""

import json
import random
from pathlib import Path

WORDS = ("shard", "rank", "mesh", "gather", "reduce", "block", "root", "world", "step", "norm")
EXAMPLES = 37


def write_data(path: Path) -> None:
    """Write prompts and responses, always the same."""
    source = random.Random(5)
    said = [" ".join(source.choices(WORDS, k=source.randrange(2, 9))) for _ in range(EXAMPLES)]
    path.write_text("".join(json.dumps({"prompt": f"say {words}: ", "response": words}) + "\n" for words in said))


def save_model(folder: Path) -> None:
    """Save an untrained model, always the same; its dropout makes random number states matter."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=280, special_tokens=["<s>", "</s>"], initial_alphabet=alphabet, show_progress=False
    )
    core.train_from_iterator([" ".join(WORDS)], trainer)
    PreTrainedTokenizerFast(tokenizer_object=core, bos_token="<s>", eos_token="</s>").save_pretrained(folder)
    torch.manual_seed(11)
    config = LlamaConfig(
        vocab_size=280,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=64,
        bos_token_id=0,
        eos_token_id=1,
        tie_word_embeddings=False,
        attention_dropout=0.2,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
