"""Floating-point operations of a step, counted by hand."""

import pytest

from engines.sizing.hf_config import named_shape
from engines.sizing.setup import make_setup
from engines.sizing.throughput.work import attention_flops, model_flops_per_token, recomputed_share, step_work

LLAMA = named_shape("Llama-3-8B")
BLOCK = 2 * 4096 * 4096 + 2 * 1024 * 4096 + 3 * 14336 * 4096  # q, o; k, v; gate, up, down


def setup(**settings):
    return make_setup(**({"ranks": 8, "seq_len": 8192} | settings))


def test_model_flops_give_the_published_utilisation():
    # torchtitan pull request 822: 5605 tokens/s/GPU on an H100 of 989 TFLOP/s is published as an MFU of 32.8 %
    assert 5605 * model_flops_per_token(LLAMA, 8192) / 989e12 == pytest.approx(0.328, abs=0.002)
    # and 2627 tokens/s/GPU on an A100 of 312 TFLOP/s as 48.8 % (pull request 355)
    assert 2627 * model_flops_per_token(LLAMA, 8192) / 312e12 == pytest.approx(0.488, abs=0.003)


def test_blocks_without_recomputation_take_six_flops_per_weight_and_token():
    work = step_work(LLAMA, setup())
    assert work.block_flops == pytest.approx(6 * BLOCK * 32 * 8192, rel=1e-4)
    assert work.head_flops == 6 * 128256 * 4096 * 8192


def test_full_checkpointing_repeats_all_but_the_down_projection():
    down = 14336 * 4096
    assert recomputed_share(LLAMA, setup(ac="full")) == pytest.approx(1 - down / BLOCK, rel=1e-3)
    assert recomputed_share(LLAMA, setup(ac="every_k", ac_every=4)) == pytest.approx((1 - down / BLOCK) / 4, rel=1e-3)


def test_selective_checkpointing_repeats_every_second_product():
    # of q, k, v, o, gate, up, down it keeps the first, third, ...: k, o and up are repeated
    repeated = 1024 * 4096 + 4096 * 4096 + 14336 * 4096
    assert recomputed_share(LLAMA, setup(ac="selective_op")) == pytest.approx(repeated / BLOCK, rel=1e-3)


def test_causal_attention_is_half_of_4_q_s():
    assert attention_flops(LLAMA, setup()) == 4 * 4096 * 8192 / 2
    # forward 1, backward 2.5, and 1 again where the block is recomputed
    plain, full = step_work(LLAMA, setup()).attention_flops, step_work(LLAMA, setup(ac="full")).attention_flops
    assert plain == 3.5 * 2 * 4096 * 8192 * 8192 * 32
    assert full / plain == pytest.approx(4.5 / 3.5)


def test_a_window_limits_what_a_token_sees():
    mistral = named_shape("Mistral-7B")  # v0.1: a window of 4096 tokens
    assert mistral.sliding_window == 4096
    # the first 4096 tokens see 2048 on average, all others 4096
    seen = (4096 * 2048 + (32768 - 4096) * 4096) / 32768
    assert attention_flops(mistral, setup(seq_len=32768)) == pytest.approx(4 * 4096 * seen)


def test_a_mixture_counts_the_experts_that_a_token_visits():
    mixtral = named_shape("Mixtral-8x7B")
    # Mistral's paper: 47 billion parameters, 13 billion active
    assert model_flops_per_token(mixtral, 1) / 6 == pytest.approx(12.9e9, rel=0.02)


def test_frozen_weights_have_no_gradient_product():
    lora = step_work(LLAMA, setup(lora_rank=16))
    adapters = 16 * 32 * (2 * (4096 + 4096) + 2 * (4096 + 1024) + 3 * (4096 + 14336))
    assert lora.block_flops == pytest.approx((4 * BLOCK * 32 + 4 * adapters) * 8192, rel=1e-3)


def test_parallel_dimensions_divide_the_work():
    whole = step_work(LLAMA, setup())
    halved = step_work(LLAMA, setup(tp=2))
    assert halved.block_flops == whole.block_flops / 2
    assert halved.tokens == whole.tokens / 2
    assert step_work(LLAMA, setup(pp=4, grad_accum=4, micro_batch=1)).block_flops == whole.block_flops
    assert step_work(LLAMA, setup(cp=2)).block_flops == whole.block_flops / 2
