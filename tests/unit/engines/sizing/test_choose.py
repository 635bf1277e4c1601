"""Plans: what is stated is kept, the rest is decided with numbers."""

import pytest

from contracts.errors import CannotBeKnown, RequestInvalid
from contracts.need import Need, Reason
from contracts.recipe import Recipe
from contracts.request import Hardware, ModelRef, Request
from engines.sizing.choose import choose_plan
from engines.sizing.hf_config import named_shape


def plan(model="Llama-3-8B", need=None, method=None, recipe=None, **hardware):
    request = Request(
        model=ModelRef(name=model), hardware=Hardware(**hardware), recipe=Recipe(**(recipe or {})), method=method
    )
    return choose_plan(request, need, named_shape(model))


def gate(verdict):
    reason = Reason(code="explicit_run_request", text="asked for")
    return Need(intent="run", verdict=verdict, language="en", reasons=(reason,))


def test_8b_on_8_h100_needs_fsdp_and_fits():
    made = plan(gpus=8, gpu_type="H100", recipe={"seq_len": 8192})
    assert (made.verdict, made.fits, made.world_size) == ("use_fsdp", True, 8)
    assert made.memory.capacity_gib == pytest.approx(79.1)
    assert made.launch is None
    assert made.artifacts == ()
    # 16 x 8030261248 / 2**30 = 119.66 GiB, 14.96 on each of 8
    assert "119.66 GiB" in made.decisions[0].because
    assert "14.96 GiB on each of 8" in made.decisions[0].because


def test_what_the_request_states_is_kept():
    stated = {"seq_len": 8192, "activation_checkpointing": "none", "cpu_offload": False, "reshard_after_forward": False}
    made = plan(gpus=8, gpu_type="H100", recipe=stated)
    assert {name: getattr(made.recipe, name) for name in stated} == stated
    assert made.alternatives == ()


def test_memory_is_saved_only_as_far_as_needed():
    roomy = plan(gpus=8, gpu_type="H200", recipe={"seq_len": 2048})
    tight = plan(gpus=8, gpu_type="H100", recipe={"seq_len": 16384})
    assert roomy.recipe.activation_checkpointing == "none"
    assert tight.recipe.activation_checkpointing == "full"
    assert not tight.recipe.cpu_offload


def test_a_model_that_one_gpu_trains_needs_no_fsdp():
    # 16 x 1.24e9 / 2**30 = 18.4 GiB of 79.1
    assert plan("Llama-3.2-1B", gpus=8, gpu_type="H100", recipe={"seq_len": 2048}).verdict == "not_needed"


def test_the_need_gate_overrules_the_arithmetic():
    asked = plan("Llama-3.2-1B", gate("use_fsdp"), gpus=8, gpu_type="H100", recipe={"seq_len": 2048})
    assert asked.verdict == "use_fsdp"
    assert plan("Llama-3-70B", gate("not_needed"), gpus=8, gpu_type="H100").verdict == "not_needed"


def test_states_that_more_ranks_would_shrink_do_not_fit():
    # 16 x 70.6e9 / 8 = 131 GiB on each rank; on more ranks it would fit
    made = plan("Llama-3-70B", gpus=8, gpu_type="H100", recipe={"seq_len": 2048, "cpu_offload": False})
    assert (made.verdict, made.fits) == ("does_not_fit", False)


def test_activations_that_no_sharding_divides_need_more_than_fsdp():
    made = plan(gpus=64, gpu_type="A100", recipe={"seq_len": 131072})
    assert made.verdict == "needs_more_than_fsdp"


def test_on_cpu_ranks_nothing_is_judged():
    made = plan("TinyLlama-1.1B", ranks=2, device="cpu", recipe={"seq_len": 128})
    assert (made.verdict, made.fits, made.world_size) == ("use_fsdp", None, 2)
    assert made.memory.reserved_gib == made.memory.active_gib
    assert made.memory.overhead_gib == 0


def test_memory_of_an_unknown_gpu_is_taken_from_the_request():
    made = plan(gpus=8, gpu_type="Zeta9", gpu_mem_gb=80, recipe={"seq_len": 512})
    assert made.memory.capacity_gib == pytest.approx(80e9 / 2**30)
    assert plan(gpus=8, gpu_type="Zeta9").fits is None


def test_numbers_that_contradict_each_other_are_refused():
    with pytest.raises(CannotBeKnown):
        plan()
    with pytest.raises(RequestInvalid, match=r"8 / 3 = 2\.67"):
        plan(gpus=8, recipe={"dp_replicate": 3})
    with pytest.raises(RequestInvalid, match="3 nodes"):
        plan(gpus=8, nodes=3)


def test_every_decision_has_a_reason_and_a_card():
    made = plan(gpus=8, gpu_type="H100", recipe={"dp_replicate": 2})
    assert all(decision.because and decision.cards for decision in made.decisions)


def test_plan_id_follows_from_the_inputs_alone():
    first, second = plan(gpus=8, gpu_type="H100"), plan(gpus=8, gpu_type="H100")
    other = plan(gpus=8, gpu_type="H100", recipe={"lr": 1e-4})
    assert first.plan_id == second.plan_id != other.plan_id
    assert len(first.plan_id) == 12


def test_lora_says_that_the_built_in_recipe_does_not_run_it():
    made = plan(method="lora", gpus=2, gpu_type="A100", recipe={"seq_len": 2048})
    assert any("lora" in warning for warning in made.warnings)
    # 8.03e9 frozen parameters in bf16 over two ranks: 7.5 GiB, and the adapters
    assert made.memory.breakdown_gib["parameters"] == pytest.approx(7.6, abs=0.2)
