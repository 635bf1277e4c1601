"""The examples: JSONL lines, checked once, then read, tokenized and padded on demand."""

import json
from array import array
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from fsdp_sft_config import ConfigError

IGNORED = -100
"""Label of a position that has no loss."""

_LONGEST_LINE_BYTES = 16 << 20
_PAD_TO_MULTIPLE = 8


@dataclass(frozen=True)
class Batch:
    """One micro-batch of one rank."""

    input_ids: torch.Tensor
    """Token ids, [sequences, tokens]."""
    labels: torch.Tensor
    """The token that each position must predict, IGNORED where there is no loss."""
    targets: int
    """Positions with loss."""
    tokens: int
    """Tokens that are not padding."""


class Examples:
    """A JSONL file; only the places of its lines are held in memory (8 bytes each)."""

    def __init__(self, path: Path) -> None:
        """Read the file once and check each line.

        Raises:
            ConfigError: A line is not an example (the message has its number), or
                there is none at all.
        """
        self.path = path
        self._offsets = array("q")
        self._stream = open(path, "rb")  # noqa: SIM115 - lives as long as the data set
        offset = 0
        for number, line in enumerate(self._lines(), start=1):
            if line.strip():
                _parse(line, f"{path} line {number}")
                self._offsets.append(offset)
            offset += len(line)
        if not self._offsets:
            raise ConfigError(f"{path} has no examples")

    def _lines(self) -> Any:
        number = 0
        while line := self._stream.readline(_LONGEST_LINE_BYTES + 1):
            number += 1
            if len(line) > _LONGEST_LINE_BYTES:
                raise ConfigError(f"{self.path} line {number} is longer than {_LONGEST_LINE_BYTES >> 20} MiB")
            yield line

    def __len__(self) -> int:
        return len(self._offsets)

    def __getitem__(self, index: int) -> tuple[str, str]:
        """Return the prompt ("" for plain text) and the text that has loss."""
        self._stream.seek(self._offsets[index])
        return _parse(self._stream.readline(), f"{self.path} example {index}")


def _parse(line: bytes, where: str) -> tuple[str, str]:
    try:
        value = json.loads(line.decode("utf-8"))
    except ValueError as error:
        raise ConfigError(f"{where} is not JSON in UTF-8: {error}") from error
    if not isinstance(value, dict):
        raise ConfigError(f"{where} must be an object, not {type(value).__name__}")
    if ("text" in value) == ("prompt" in value or "response" in value):
        raise ConfigError(f'{where} must have either "prompt" and "response", or "text"')
    wanted = ("text",) if "text" in value else ("prompt", "response")
    for name in wanted:
        if not isinstance(value.get(name), str):
            raise ConfigError(f'{where} needs "{name}" as a string, not {value.get(name)!r:.60}')
    if not value[wanted[-1]]:
        raise ConfigError(f'{where} has an empty "{wanted[-1]}": nothing to learn')
    return value.get("prompt", ""), value[wanted[-1]]


class Encoder:
    """Turns examples into token ids, prompts and responses as they are (no chat template)."""

    def __init__(self, tokenizer: Any, seq_len: int, vocab_size: int) -> None:
        """Keep what is needed of the tokenizer.

        Args:
            tokenizer: A Hugging Face tokenizer.
            seq_len: Tokens at most in a sequence; the rest is cut off.
            vocab_size: Rows of the model's embedding.
        """
        self._tokenizer, self._seq_len, self._vocab_size = tokenizer, seq_len, vocab_size
        begin = tokenizer.bos_token_id
        # only where the tokenizer itself puts a begin token before a text
        self._head = [begin] if begin is not None and begin in tokenizer("").input_ids else []
        self._tail = [tokenizer.eos_token_id] if tokenizer.eos_token_id is not None else []

    def __call__(self, prompt: str, response: str) -> tuple[list[int], int]:
        """Return the token ids and how many of them are the prompt.

        The two are tokenized apart, as the model will see the prompt when it is used.

        Raises:
            ConfigError: The tokenizer has ids that the model's embedding lacks.
        """
        head = self._head + (self._ids(prompt) if prompt else [])
        ids = (head + self._ids(response) + self._tail)[: self._seq_len]
        if ids and max(ids) >= self._vocab_size:
            raise ConfigError(f"token id {max(ids)} is outside the model's vocabulary of {self._vocab_size}")
        return ids, len(head)

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer(text, add_special_tokens=False, verbose=False).input_ids
        return ids

    def batch(self, examples: list[tuple[str, str]]) -> Batch:
        """Return a padded micro-batch; an empty one has a single row without loss.

        Padding goes to the longest sequence, rounded up to 8 tokens. It stands on the
        right, where causal attention keeps it from every real token: no mask is needed.
        """
        rows = [self(*example) for example in examples]
        longest = max((len(ids) for ids, _ in rows), default=1)
        width = min(self._seq_len, -(-longest // _PAD_TO_MULTIPLE) * _PAD_TO_MULTIPLE)
        input_ids = torch.zeros(max(1, len(rows)), width, dtype=torch.long)
        labels = torch.full_like(input_ids, IGNORED)
        for row, (ids, prompt_tokens) in enumerate(rows):
            input_ids[row, : len(ids)] = torch.tensor(ids)
            first = max(1, prompt_tokens)
            if first < len(ids):
                labels[row, first - 1 : len(ids) - 1] = torch.tensor(ids[first:])
        targets = int((labels != IGNORED).sum())
        return Batch(input_ids, labels, targets, sum(len(ids) for ids, _ in rows))
