import json

import pytest
import torch
from fsdp_sft_config import ConfigError
from fsdp_sft_data import Encoder, Examples
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

WORDS = ["<s>", "</s>", "one", "two", "three", "four", "five"]
S, E, ONE, TWO, THREE, FOUR, FIVE = range(7)
NO = -100


def make_tokenizer(begins=True):
    core = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}))
    core.pre_tokenizer = pre_tokenizers.Whitespace()
    if begins:
        core.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", S)])
    return PreTrainedTokenizerFast(tokenizer_object=core, bos_token="<s>", eos_token="</s>")


@pytest.fixture
def examples(tmp_path):
    def write(*lines):
        path = tmp_path / "data.jsonl"
        path.write_bytes(b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) for line in lines))
        return Examples(path)

    return write


def test_reads_any_line_at_any_time(examples):
    data = examples(b'{"prompt": "p0", "response": "r0"}\n', b"\n", b'{"text": "\xc3\xa6"}\n', b'{"text": "last"}')
    assert len(data) == 3
    assert [data[2], data[0], data[1]] == [("", "last"), ("p0", "r0"), ("", "æ")]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{oops", "line 2 is not JSON"),
        (b'{"text": "\xff"}', "line 2 is not JSON in UTF-8"),
        (b"[1]", "line 2 must be an object, not list"),
        (b'{"prompt": "a"}', 'line 2 needs "response" as a string, not None'),
        (b'{"response": "a"}', 'line 2 needs "prompt" as a string'),
        (b'{"prompt": 1, "response": "a"}', 'line 2 needs "prompt" as a string, not 1'),
        (b'{"prompt": "a", "response": ""}', 'line 2 has an empty "response"'),
        (b'{"text": ""}', 'line 2 has an empty "text"'),
        (b'{"text": "a", "prompt": "b"}', 'line 2 must have either "prompt" and "response", or "text"'),
        (b'{"question": "a"}', "line 2 must have either"),
    ],
)
def test_a_broken_line_is_named_by_its_number(examples, line, message):
    with pytest.raises(ConfigError, match=message):
        examples(b'{"text": "good"}\n', line)


def test_a_line_without_end_is_refused_before_it_fills_the_memory(examples):
    with pytest.raises(ConfigError, match="line 1 is longer than 16 MiB"):
        examples(b'{"text": "' + b"a" * (17 << 20) + b'"}')


def test_an_empty_file_is_refused(examples):
    with pytest.raises(ConfigError, match="has no examples"):
        examples(b"\n")


def test_only_the_response_has_loss_and_each_label_is_the_next_token():
    batch = Encoder(make_tokenizer(), 16, len(WORDS)).batch([("one two", "three four")])
    # <s> one two | three four </s> : "two" must predict "three", ..., "four" the end; two more for a width of 8
    assert batch.input_ids.tolist() == [[S, ONE, TWO, THREE, FOUR, E, 0, 0]]
    assert batch.labels.tolist() == [[NO, NO, THREE, FOUR, E, NO, NO, NO]]
    assert (batch.targets, batch.tokens) == (3, 6)


def test_plain_text_has_loss_everywhere_but_on_its_first_token():
    batch = Encoder(make_tokenizer(begins=False), 16, len(WORDS)).batch([("", "one two")])
    assert batch.input_ids.tolist() == [[ONE, TWO, E, 0, 0, 0, 0, 0]]
    assert batch.labels.tolist() == [[TWO, E, NO, NO, NO, NO, NO, NO]]


def test_long_examples_are_cut_and_short_ones_padded_to_the_longest():
    encoder = Encoder(make_tokenizer(), 5, len(WORDS))
    batch = encoder.batch([("one", "two three four five"), ("one", "two")])
    assert batch.input_ids.tolist() == [[S, ONE, TWO, THREE, FOUR], [S, ONE, TWO, E, 0]]
    assert batch.labels.tolist() == [[NO, TWO, THREE, FOUR, NO], [NO, TWO, E, NO, NO]]
    assert (batch.targets, batch.tokens) == (5, 9)


def test_a_prompt_that_fills_the_sequence_leaves_nothing_to_learn():
    batch = Encoder(make_tokenizer(), 3, len(WORDS)).batch([("one two three", "four")])
    assert batch.targets == 0
    assert torch.all(batch.labels == NO)


def test_a_rank_without_examples_still_has_a_batch():
    batch = Encoder(make_tokenizer(), 8, len(WORDS)).batch([])
    assert batch.input_ids.shape[0] == 1
    assert (batch.targets, batch.tokens) == (0, 0)


def test_a_token_outside_the_embedding_is_refused():
    with pytest.raises(ConfigError, match="token id 6 is outside the model's vocabulary of 6"):
        Encoder(make_tokenizer(), 8, 6).batch([("one", "five")])
