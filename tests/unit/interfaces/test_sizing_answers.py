"""Answers of `estimate`, `whatif` and `plan` about one configuration agree."""

import pytest

from contracts.aim import Aim
from contracts.request import Request
from engines.sizing.choose import choose_plan
from engines.sizing.hf_config import named_shape
from interfaces.service_sizing import estimate
from interfaces.service_whatif import what_if

MODEL = "Llama-3.2-1B"
SETTINGS = {"ranks": 4, "seq_len": 1024}


@pytest.mark.parametrize(("gpu", "rate"), [("V100-32GB", "15.7"), ("T4", "8.1")])  # TFLOP/s of the data sheets
def test_without_bf16_hardware_all_compute_in_fp32_and_say_so(gpu: str, rate: str) -> None:
    told = estimate(MODEL, gpu, SETTINGS)
    stated = estimate(MODEL, gpu, SETTINGS | {"param_dtype": "fp32"})
    assert told.reserved_gib == stated.reserved_gib
    assert any(line.startswith("param_dtype fp32 (not given)") and rate in line for line in told.assumptions)
    assert not any("param_dtype" in line for line in stated.assumptions)
    asked = what_if("activation-checkpointing", MODEL, gpu, SETTINGS)
    assert asked.rows == what_if("activation-checkpointing", MODEL, gpu, SETTINGS | {"param_dtype": "fp32"}).rows
    assert asked.assumptions[0] == told.assumptions[0]


def test_a_stated_bf16_is_kept_with_a_warning_and_adapters_keep_their_base() -> None:
    stated = estimate(MODEL, "T4", SETTINGS | {"param_dtype": "bf16"})
    assert any("emulates bf16" in line for line in stated.assumptions)
    assert stated.reserved_gib == estimate(MODEL, "T4", SETTINGS | {"param_dtype": "fp16"}).reserved_gib
    adapters = SETTINGS | {"lora_rank": 8}
    assert estimate(MODEL, "T4", adapters).reserved_gib == estimate(MODEL, None, adapters).reserved_gib


def test_where_bf16_is_computed_nothing_is_assumed_of_it() -> None:
    assert not any("param_dtype" in line for line in estimate(MODEL, "A100-40GB", SETTINGS).assumptions)


def test_meshes_of_a_plan_that_are_far_too_large_have_the_peak_of_an_estimate() -> None:
    hardware = {"gpus": 16, "nodes": 2, "gpu_type": "A100-40GB"}
    body = {"intent": "plan", "model": {"name": "Llama-3-70B"}, "hardware": hardware, "recipe": {"seq_len": 4096}}
    request = Request.model_validate(body | {"aim": Aim().model_dump()})
    made = choose_plan(request, None, named_shape("Llama-3-70B"))
    assert made.scale is not None
    assert made.memory is not None
    [taken] = [mesh for mesh in made.scale.meshes if mesh.chosen]
    assert taken.reserved_gib == pytest.approx(made.memory.reserved_gib, abs=0.01)
    recipe = made.recipe
    settings = {
        "ranks": 16,
        "seq_len": recipe.seq_len,
        "micro_batch": recipe.micro_batch,
        "ac": recipe.activation_checkpointing,
        "cpu_offload": recipe.cpu_offload,
        "reshard_after_forward": recipe.reshard_after_forward,
        "reshard_last": recipe.reshard_after_forward,
        "norm_kernel": "decomposed",
    }
    for mesh in made.scale.meshes:
        if mesh.kind == "hsdp":
            alone = estimate("Llama-3-70B", "A100-40GB", settings | {"dp_replicate": mesh.dp_replicate})
            assert mesh.reserved_gib == pytest.approx(alone.reserved_gib, abs=0.01)
            assert mesh.fits is False
