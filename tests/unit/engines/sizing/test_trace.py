"""The replayed steps: accuracy is tested on published runs; here is what must hold for any."""

import pytest

from engines.sizing.closed_form import closed_form
from engines.sizing.hf_config import named_shape
from engines.sizing.setup import make_setup
from engines.sizing.trace import STEPS, replay

GIB = 2**30
LLAMA = named_shape("llama-3-8b")
TITAN = {"seq_len": 8192, "model_code": "torchtitan", "norm_kernel": "decomposed", "expandable_segments": True}


def run(shape=LLAMA, **settings):
    return replay(shape, make_setup(**({"ranks": 8, "seq_len": 2048} | settings)))


@pytest.mark.parametrize(
    "settings",
    [{}, {"ac": "selective_op"}, {"ac": "full", "expandable_segments": False}, {"ranks": 64, "compile": True}],
)
def test_nothing_grows_after_the_second_step(settings):
    setup = make_setup(**({"ranks": 8} | TITAN | settings))
    assert replay(LLAMA, setup, STEPS).reserved == replay(LLAMA, setup, 5).reserved


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"ac": "selective_op"},
        {"ac": "every_k", "ac_every": 2},
        {"ac": "selective_op", "reshard_after_forward": False},
        {"ac": "selective_op", "ranks": 128},
        {"ac": "selective_op", "compile": True},
    ],
)
def test_the_closed_form_explains_the_trace(settings):
    setup = make_setup(**({"ranks": 8} | TITAN | settings))
    found, form = replay(LLAMA, setup), closed_form(LLAMA, setup)
    assert form.active_bytes == pytest.approx(found.active, rel=0.06)
    assert form.reserved_bytes == pytest.approx(found.reserved, rel=0.06)


def test_sharded_states_are_twelve_bytes_for_each_parameter():
    parts = run(ac="full").peak.parts
    assert parts["parameters"] == pytest.approx(4 * LLAMA.params / 8, rel=0.001)
    assert parts["optimizer_state"] == pytest.approx(8 * LLAMA.params / 8, rel=0.001)


def test_more_ranks_save_sixteen_bytes_for_each_parameter_that_moves_away():
    # states (12 B) in the default pool and gradients (4 B) in the reduce-scatter pool
    saved = run(**TITAN, ac="selective_op", micro_batch=2).reserved
    saved -= run(**(TITAN | {"ranks": 16}), ac="selective_op", micro_batch=2).reserved
    assert saved == pytest.approx(16 * LLAMA.params * (1 / 8 - 1 / 16), rel=0.05)


def test_keeping_gathered_parameters_costs_two_bytes_each():
    # all but the root, which is kept anyway
    more = run(reshard_after_forward=False).active - run(root_reshard=False).active
    blocks = LLAMA.params - 2 * LLAMA.vocab * LLAMA.hidden
    assert more == pytest.approx(2 * blocks, rel=0.01)


def test_activation_checkpointing_saves_memory_in_the_order_of_its_strength():
    none, half, full = (run(**mode).active for mode in ({}, {"ac": "every_k", "ac_every": 2}, {"ac": "full"}))
    assert none > half > full


def test_cpu_offload_leaves_no_state_on_the_device():
    parts = run(cpu_offload=True, ac="full").peak.parts
    assert parts["parameters"] == parts["optimizer_state"] == parts["gradients"] == 0


def test_unsharded_accumulation_costs_four_bytes_for_each_parameter():
    plain, kept = run(grad_accum=4, ac="full"), run(grad_accum=4, ac="full", accumulate_unsharded=True)
    assert kept.active - plain.active > 0.8 * 4 * LLAMA.params


def test_the_root_alone_reduces_the_whole_model_at_once():
    # at the end: bf16 gradients of all weights and the fp32 reduce-scatter input, over the sharded states
    assert run(wrap="root", ac="full").active == pytest.approx((2 + 4 + 12 / 8) * LLAMA.params, rel=0.05)


def test_adapters_need_neither_gradients_nor_states_of_the_base():
    full, lora = run(ac="full").peak.parts, run(ac="full", lora_rank=16, master_dtype="bf16").peak.parts
    assert lora["optimizer_state"] < 0.02 * full["optimizer_state"]
    assert lora["parameters"] == pytest.approx(2 * LLAMA.params / 8, rel=0.03)


def test_four_bit_weights_take_an_eighth_of_fp32_and_a_little_for_scales():
    parts = run(ac="full", lora_rank=8, base_bits=4, master_dtype="bf16").peak.parts
    inner = LLAMA.params - 2 * LLAMA.vocab * LLAMA.hidden
    stated = (0.516 * inner + 2 * (LLAMA.params - inner)) / 8
    assert parts["parameters"] == pytest.approx(stated, rel=0.03)


def test_tensor_parallelism_divides_what_it_splits():
    one, two = run(seq_len=8192), run(seq_len=8192, tp=2)
    assert 0.4 < two.active / one.active < 0.8


def test_a_pipeline_keeps_its_micro_batches_in_flight():
    shape = named_shape("llama-3-70b")
    pipeline = {"ranks": 32, "pp": 4, "seq_len": 4096, "ac": "full", "reshard_after_forward": False}
    few, many = (replay(shape, make_setup(**pipeline, grad_accum=count)) for count in (1, 4))
    inputs = 2 * 4096 * shape.hidden * shape.layers // 4  # what one micro-batch keeps: its blocks' inputs
    assert many.active - few.active > 3 * inputs


def test_tied_weights_are_counted_once():
    shape = named_shape("llama-3.2-1b")
    assert run(shape, ac="full").peak.parts["parameters"] == pytest.approx(4 * shape.params / 8, rel=0.002)


@pytest.mark.parametrize("loss", ["plain", "fp32_copy", "fp32_in_model", "chunked", "compiled", "fused_linear"])
def test_loss_implementations_peak_by_their_share_of_the_logits(loss):
    # bytes for each logit: plain 2 + 2 + 2 + 2 at once at most, three fp32 tensors, one bf16 and
    # its gradient, or an eighth of the logits with three fp32 copies
    low, high = {
        "plain": (5.9, 8.1),
        "fp32_copy": (11.9, 12.1),
        "fp32_in_model": (11.9, 12.1),
        "chunked": (6, 7),
        "compiled": (3.9, 4.1),
        "fused_linear": (1.5, 2.6),
    }[loss]
    sizes = [run(loss_impl=loss, ac="full", micro_batch=batch, ranks=512).active for batch in (16, 32)]
    per_token = (sizes[1] - sizes[0]) / (16 * 2048) - 2 * LLAMA.hidden * LLAMA.layers
    assert low <= per_token / LLAMA.vocab <= high + 0.4


@pytest.mark.parametrize("fsdp", [0, 1, 2])
@pytest.mark.parametrize("name", ["llama-3.2-1b", "qwen3-30b-a3b", "gemma-2-2b", "deepseek-v2-lite"])
def test_every_way_to_shard_runs_for_every_kind_of_model(name, fsdp):
    found = run(named_shape(name), fsdp=fsdp, ranks=4)
    assert 0 < found.active <= found.reserved
    assert found.first_step <= found.reserved
