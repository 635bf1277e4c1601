import pytest

from engines.answers.arithmetic import model_state


@pytest.mark.parametrize(
    ("question", "total_gb", "per_gpu_gb"),
    [
        # 13e9 x 16 bytes = 208e9 bytes, over 8 GPUs 26e9
        ("How much memory does a full fine-tune of a 13B model need per GPU on 8 GPUs?", 208, 26),
        ("How many GB of model state for 70 billion parameters over 64 H100s?", 1120, 17.5),
        ("Hvor meget hukommelse bruger en 7B model på 4 GPU'er?", 112, 28),
        ("Hvor meget hukommelse kræver 1,5 milliarder parametre?", 24, None),
        ("What memory does a 350M-parameter model take on 2 x A100?", 5.6, 2.8),
        # bf16 everywhere: 2 + 2 + 2 x 2 bytes
        ("How much GPU memory for 8B in pure bf16 with AdamW on 8 GPUs?", 64, 8),
        # fp32 weights and gradients only
        ("How many GB does an 8B model need with SGD on 8 GPUs?", 64, 8),
        ("How many GB does an 8B model need with SGD and momentum on 8 GPUs?", 96, 12),
        # frozen bf16 weights
        ("How much memory per GPU for LoRA on a 70B model with 8 GPUs?", 140, 17.5),
        ("How much memory per GPU for QLoRA on a 70B model with 2 GPUs?", 35, 17.5),
    ],
)
def test_bytes_per_parameter_times_parameters(question: str, total_gb: float, per_gpu_gb: float | None) -> None:
    state = model_state(question)
    assert state is not None
    assert state.total_gb == pytest.approx(total_gb)
    assert state.per_gpu_gb == (None if per_gpu_gb is None else pytest.approx(per_gpu_gb))


@pytest.mark.parametrize(
    "question",
    [
        "How much memory does FSDP save?",
        "My 13B model hangs on 8 GPUs",
        "What happens to the 8 GB of host memory?",
        "Does FSDP2 need ShardedGradScaler?",
        "How many ranks do I need for a batch of 4 M tokens?",
    ],
)
def test_other_questions_get_no_arithmetic(question: str) -> None:
    assert model_state(question) is None


def test_the_sentence_shows_the_arithmetic() -> None:
    state = model_state("How many GB of model state does a 13B model need on 8 GPUs?")
    assert state is not None
    assert "13 billion parameters x 16 bytes" in state.sentence()
    assert "= 208 GB of model state in total, 26 GB per GPU when fully sharded over 8 GPUs." in state.sentence()
