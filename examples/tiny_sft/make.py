"""Make what the tiny fine-tuning example needs: a model folder and two data files.

    python make.py [FOLDER]

Everything comes from this file and a fixed seed: questions and answers about how FSDP
cuts tensors, a byte-level tokenizer trained on them, and an untrained Llama-type model
of 0.9 million parameters. It runs in the training environment (torch, transformers,
tokenizers); FOLDER is `build` beside this file unless given.
"""

import argparse
import json
import random
from pathlib import Path

import torch  # noqa: TID251 - an example's own script, run by the training interpreter
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast  # noqa: TID251 - as above

SEED = 7
TRAIN_EXAMPLES, EVAL_EXAMPLES = 480, 48
VOCABULARY = 512
BEGIN, END = "<s>", "</s>"

_GATHERED = ("the embedding", "the head", "a block", "the last block", "the attention", "the feed-forward part")
_EVENTS = {
    "before the forward": "the shards are gathered into whole parameters",
    "after the forward": "the whole parameters are freed and the shards stay",
    "before the backward": "the shards are gathered once more",
    "after the backward": "the gradients are reduced and scattered to their shards",
    "in the optimizer step": "each rank updates its own shard and no other",
}


def make_example(source: random.Random) -> dict[str, str]:
    """Return one question with its answer."""
    kind = source.randrange(4)
    ranks = source.choice((2, 4, 8))
    if kind == 0:
        rows = source.randrange(1, 9)
        question = f"A tensor of {rows * ranks} rows is sharded over {ranks} ranks. How many rows has each rank?"
        answer = f"Each of the {ranks} ranks has {rows} rows."
    elif kind == 1:
        rank = source.randrange(ranks)
        question = f"Which ranks hold a part of the weight on a mesh of {ranks}, seen from rank {rank}?"
        answer = f"Every rank holds a part: rank {rank} has one shard and the other {ranks - 1} ranks have the rest."
    elif kind == 2:
        moment = source.choice(sorted(_EVENTS))
        part = source.choice(_GATHERED)
        question = f"What happens to {part} {moment}?"
        answer = f"For {part}, {moment}, {_EVENTS[moment]}."
    else:
        replicas = source.choice((2, 4))
        question = f"HSDP with {replicas} replicas of {ranks} shards: how large is the world?"
        answer = f"The world size is {replicas} times {ranks}, which is {replicas * ranks} ranks."
    return {"prompt": f"Question: {question}\nAnswer: ", "response": answer}


def make_data(folder: Path) -> list[dict[str, str]]:
    """Write train.jsonl and eval.jsonl and return the training examples."""
    source = random.Random(SEED)  # noqa: S311 - examples, not secrets
    examples = [make_example(source) for _ in range(TRAIN_EXAMPLES + EVAL_EXAMPLES)]
    train, held_out = examples[:TRAIN_EXAMPLES], examples[TRAIN_EXAMPLES:]
    for name, part in (("train.jsonl", train), ("eval.jsonl", held_out)):
        lines = [json.dumps(example, ensure_ascii=False) + "\n" for example in part]
        (folder / name).write_text("".join(lines), encoding="utf-8")
    return train


def make_tokenizer(examples: list[dict[str, str]]) -> PreTrainedTokenizerFast:
    """Return a byte-level BPE tokenizer trained on the examples."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[BEGIN, END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator((e["prompt"] + e["response"] for e in examples), trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token=BEGIN, eos_token=END, pad_token=END)


def make_model() -> LlamaForCausalLM:
    """Return an untrained Llama-type model, the same at each call."""
    torch.manual_seed(SEED)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=VOCABULARY,
            hidden_size=128,
            intermediate_size=352,
            num_hidden_layers=4,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=256,
            bos_token_id=0,
            eos_token_id=1,
            tie_word_embeddings=False,
        )
    )


def main() -> None:
    """Write the folder."""
    parser = argparse.ArgumentParser(description="make the tiny fine-tuning example")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).resolve().parent / "build")
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    examples = make_data(folder)
    make_tokenizer(examples).save_pretrained(folder / "model")
    model = make_model()
    model.save_pretrained(folder / "model")
    print(f"{folder}: a model of {model.num_parameters():,} parameters, {len(examples)} training examples")


if __name__ == "__main__":
    main()
