"""Model-state arithmetic against sums made by hand."""

import pytest

from engines.intake.activations import hidden_and_layers
from engines.intake.facts import Values
from engines.intake.judgement import Judgement
from engines.intake.states import Arithmetic, arithmetic, default_seq_len
from engines.intake.verdict_memory import judge_memory


def sums(**values: object) -> Arithmetic:
    made = arithmetic(Values(**values))  # type: ignore[arg-type]
    assert made is not None
    return made


def judge(**values: object) -> Judgement:
    made = judge_memory(Values(**values))  # type: ignore[arg-type]
    assert made is not None
    return made


def codes(judgement: Judgement) -> list[str]:
    return [because.code for because in judgement.because]


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        # max_position_embeddings of their configurations: 512 (RoBERTa: 514 with two that are never used)
        ("bert-large", 512),
        ("xlm-roberta-large", 512),
        ("microsoft/deberta-v3-large", 512),
        ("/models/electra-base/", 512),
        # that of ModernBERT is 8192, and a decoder in a folder of Robert's is none
        ("ModernBERT-large", 2048),
        ("/home/robert/llama-3-8b", 2048),
        ("Llama-3-8B", 2048),
        (None, 2048),
    ],
)
def test_an_encoder_is_assumed_to_have_its_positions(model: str | None, tokens: int) -> None:
    assert default_seq_len(model) == tokens
    assert sums(params_b=1, model=model).seq_len == tokens
    assert sums(params_b=1, model=model, seq_len=128).seq_len == 128


@pytest.mark.parametrize(
    ("params_b", "method", "expected_gb"),
    [
        (70, "full", 1120),  # 70e9 x (2 + 2 + 4 + 4 + 4)
        (7, "full", 112),
        (0.06, "full", 0.96),
        (7, "lora", 15.12),  # 7e9 x 2, and 1 % of 7e9 x 16
        (70, "qlora", 49.7),  # 70e9 x 0.55, and 1 % of 70e9 x 16
    ],
)
def test_states_are_parameters_times_bytes(params_b: float, method: str, expected_gb: float) -> None:
    assert sums(params_b=params_b, method=method).states_gb == pytest.approx(expected_gb)


def test_a_frozen_reference_adds_its_bf16_weights() -> None:
    assert sums(params_b=8, frozen_params_b=8, method="full").states_gb == pytest.approx(128 + 16)


def test_sharding_divides_the_states() -> None:
    assert sums(params_b=13, method="full", gpus=16).sharded_gb == pytest.approx(13)


@pytest.mark.parametrize(
    ("params_b", "hidden", "layers"),
    [(6.74, 4096, 32), (69, 8192, 80), (1.1, 2048, 22)],  # Llama-2-7B, Llama-2-70B, TinyLlama
)
def test_shape_is_guessed_within_a_fifth(params_b: float, hidden: int, layers: int) -> None:
    guessed_hidden, guessed_layers = hidden_and_layers(params_b * 1e9)
    assert guessed_hidden == pytest.approx(hidden, rel=0.2)
    assert guessed_layers == pytest.approx(layers, rel=0.25)


def test_unknown_size_has_no_arithmetic() -> None:
    assert arithmetic(Values(gpus=8)) is None
    assert judge_memory(Values(gpus=8)) is None


def test_states_above_one_gpu_and_several_gpus() -> None:
    made = judge(params_b=13, method="full", gpus=8, gpu_type="A100", gpu_mem_gb=80)
    assert (made.verdict, codes(made)) == ("use_fsdp", ["model_states_exceed_one_gpu"])


def test_sharded_states_that_do_not_fit_either() -> None:
    made = judge(params_b=405, method="full", gpus=32, gpu_type="H100")
    assert codes(made) == ["model_states_exceed_one_gpu", "needs_more_than_fsdp"]


def test_states_fit_but_activations_of_one_sequence_do_not() -> None:
    made = judge(params_b=1.3, method="full", gpus=8, gpu_mem_gb=40, seq_len=131_072, batch=1)
    assert codes(made) == ["activations_exceed_one_gpu", "needs_more_than_fsdp"]


def test_a_large_batch_is_no_reason_to_shard() -> None:
    """A batch can be accumulated; one sequence cannot be made smaller."""
    made = judge(params_b=1.3, method="full", gpus=8, gpu_mem_gb=40, seq_len=2048, batch=512)
    assert made.verdict == "not_needed"


def test_one_gpu_that_is_too_small_waits_where_all_weights_must_be_trained() -> None:
    made = judge(params_b=13, method="full", gpus=1, gpu_mem_gb=48)
    assert made.verdict == "wait"
    assert codes(made) == ["no_multi_gpu_hardware", "model_states_exceed_one_gpu", "single_gpu_only"]


def test_one_gpu_that_is_too_small_takes_adapters_where_the_method_is_open() -> None:
    made = judge(params_b=7, gpus=1, gpu_mem_gb=24)
    assert (made.verdict, made.because[0].code) == ("not_needed", "lora_on_one_gpu_suffices")


def test_lora_too_large_for_one_gpu_falls_back_to_qlora() -> None:
    # 14e9 x 2.16 = 30 GB does not fit 24 GB; 14e9 x 0.71 = 10 GB does.
    made = judge(params_b=14, method="lora", gpus=1, gpu_mem_gb=24)
    assert made.verdict == "not_needed"
    assert made.because[0].says[0] == "states_qlora"


def test_frozen_weights_above_one_gpu_are_a_case_for_sharding() -> None:
    assert judge(params_b=70, method="qlora", gpus=2, gpu_mem_gb=24).verdict == "use_fsdp"


def test_the_logits_of_a_long_sequence_do_not_fit_whatever_is_sharded() -> None:
    # 12 bytes x 65536 tokens x 128256 entries = 100.9 GB, and sharding divides none of it.
    made = judge(model="Llama-3-8B", params_b=8, method="full", gpus=8, gpu_type="H100", gpu_mem_gb=80, seq_len=65_536)
    assert made.verdict == "use_fsdp"
    more = next(because for because in made.because if because.code == "needs_more_than_fsdp")
    assert more.numbers["logits"] == pytest.approx(100.9, abs=0.1)
    assert ("logits" in more.says, "logits_remedy" in more.says) == (True, True)


def test_an_unknown_vocabulary_is_assumed_and_named() -> None:
    made = judge(params_b=8, method="full", gpus=8, gpu_mem_gb=80, seq_len=65_536)
    more = next(because for because in made.because if because.code == "needs_more_than_fsdp")
    assert (more.numbers["vocabulary"], "logits_assumed" in more.says) == (100_000, True)


def test_the_logits_of_a_short_sequence_are_no_matter() -> None:
    made = judge(model="Llama-3-8B", params_b=8, method="full", gpus=8, gpu_mem_gb=80, seq_len=4096)
    assert codes(made) == ["model_states_exceed_one_gpu"]
