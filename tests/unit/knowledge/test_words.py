import pytest

from knowledge.words import stem, symbols, terms


@pytest.mark.parametrize(
    "words",
    [
        ("shard", "shards", "sharded", "sharding"),
        ("reduce", "reduces", "reduced", "reducing"),
        ("wrap", "wraps", "wrapped", "wrapping"),
        ("initialise", "initialize", "initialization", "initialisation"),
        ("optimizer", "optimizers", "optimiser"),
        ("policy", "policies"),
        ("checkpoint", "checkpoints", "checkpointing"),
    ],
)
def test_forms_of_a_word_have_one_stem(words: tuple[str, ...]) -> None:
    assert len({stem(word) for word in words}) == 1


@pytest.mark.parametrize(("one", "other"), [("rank", "ring"), ("loss", "los"), ("state", "start"), ("dp", "ddp")])
def test_different_words_keep_different_stems(one: str, other: str) -> None:
    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("all gather", "all-gather"),
        ("all gather", "allgather"),
        ("FULL_SHARD", "full shard"),
        ("state_dict", "state dict"),
        ("micro-batch", "microbatches"),
        ("reshard_after_forward", "reshard-after-forward"),
        ("ZeRO-3", "zero stage 3"),
        ("torch.amp.GradScaler", "GradScaler"),
        ("full_state_dict=True", "the full state dict"),
        ("ZeRO-3", "FULL_SHARD"),
        ("bfloat16", "bf16"),
        ("out of memory", "OOM"),
        ("hukommelse", "memory"),
        ("vægtene", "weights"),
        ("gemmer", "save"),
    ],
)
def test_ways_to_write_one_thing_share_a_term(one: str, other: str) -> None:
    assert set(terms(one)) & set(terms(other))


def test_a_symbol_stays_whole_and_yields_its_parts() -> None:
    found = terms("set_requires_gradient_sync(False)")
    assert "setrequiresgradientsync" in found
    assert "gradient" in found
    assert "dtensor" in terms("a DTensor")
    assert "d" not in terms("a DTensor")


def test_words_without_a_topic_are_left_out() -> None:
    assert terms("How do I do this, and why is it so?") == []
    assert terms("Hvordan gør jeg det, og hvorfor er det så?") == []


def test_symbols_are_the_identifiers() -> None:
    assert symbols("call fully_shard on the model, then CPUOffloadPolicy()") == {"fullyshard", "cpuoffloadpolicy"}
