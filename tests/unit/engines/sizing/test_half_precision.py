"""What a plan chooses and says of bf16, fp32 and fp16, and of the optimizer that runs on the CPU."""

import pytest

from contracts.plan import Plan
from contracts.request import Request
from engines.sizing.choose import choose_plan
from engines.sizing.hf_config import named_shape
from engines.sizing.setup import make_setup
from engines.sizing.throughput.predict import Machine, throughput_of
from knowledge.devices import find_device


def plan(gpu: str, **fields: object) -> Plan:
    body = {
        "intent": "plan",
        "model": {"name": "Llama-3.2-1B"},
        "hardware": {"gpus": 8, "gpu_type": gpu},
        "recipe": {"seq_len": 1024, "micro_batch": 1},
    }
    return choose_plan(Request.model_validate(body | fields), None, named_shape("Llama-3.2-1B"))


OLD = ("V100-32GB", "V100-16GB", "T4")  # Volta has compute capability 7.0, Turing 7.5; bf16 came with 8.0


@pytest.mark.parametrize("gpu", OLD)
def test_without_bf16_hardware_fp32_is_chosen_and_the_reason_told(gpu: str) -> None:
    made = plan(gpu)
    assert made.recipe.param_dtype == "fp32"
    [chosen] = [one for one in made.decisions if one.choice.startswith("param_dtype=")]
    assert chosen.choice.startswith("param_dtype=fp32")
    assert "no bf16 hardware" in chosen.because
    assert "torch.amp.GradScaler" in chosen.because
    assert chosen.cards == ("fp16-without-scaler", "gradscaler-fsdp2")
    assert not any("bf16" in warning for warning in made.warnings)


@pytest.mark.parametrize("gpu", OLD)
def test_fp16_is_an_alternative_for_a_script_of_one_s_own_with_its_scaler(gpu: str) -> None:
    made = plan(gpu)
    in_fp16 = [other for other in made.ranked if other.settings.get("param_dtype") == "fp16"]
    assert in_fp16
    assert not any(other.built_in for other in in_fp16)
    assert any("GradScaler" in cost for cost in in_fp16[0].gives_up)
    assert "gradscaler-fsdp2" in in_fp16[0].cards
    # tensor cores against ordinary ones: the data sheets say 125 to 15.7 and 65 to 8.1 TFLOP/s
    assert made.throughput is not None
    assert max(other.tokens_per_s_per_gpu for other in in_fp16) > 1.5 * made.throughput.tokens_per_s_per_gpu


def test_what_fits_in_fp16_alone_is_named_where_fp32_does_not_fit() -> None:
    recipe = {"seq_len": 3072, "micro_batch": 1, "cpu_offload": False}
    made = plan("T4", hardware={"gpus": 4, "gpu_type": "T4"}, recipe=recipe)
    assert (made.recipe.param_dtype, made.fits, made.verdict) == ("fp32", False, "does_not_fit")
    assert any(other.settings.get("param_dtype") == "fp16" and other.fits for other in made.ranked)
    [would] = [one for one in made.decisions if one.choice == "what would fit"]
    assert would.because.startswith("param_dtype=fp16")


@pytest.mark.parametrize("gpu", OLD)
def test_stated_bf16_is_kept_and_warned_of(gpu: str) -> None:
    made = plan(gpu, recipe={"seq_len": 1024, "micro_batch": 1, "param_dtype": "bf16"})
    assert made.recipe.param_dtype == "bf16"
    assert any("no bf16 hardware" in warning for warning in made.warnings)
    assert any("as with fp16" in assumption for assumption in made.assumptions)


def test_adapters_stay_in_16_bits_with_a_warning() -> None:
    made = plan("T4", method="qlora")
    assert made.recipe.param_dtype == "bf16"
    assert any("fp16 with a gradient scaler" in warning for warning in made.warnings)


def test_where_there_is_bf16_nothing_of_it_is_said() -> None:
    made = plan("A100")
    assert made.recipe.param_dtype == "bf16"
    assert not any("bf16 hardware" in text for text in (*made.warnings, *(one.because for one in made.decisions)))
    assert not any("param_dtype" in other.settings for other in made.ranked)


def test_a_run_on_such_a_gpu_is_planned_in_fp32_too() -> None:
    made = plan("V100-32GB", intent="run")
    assert (made.recipe.param_dtype, made.recipe.reduce_dtype) == ("fp32", "fp32")


def test_fp32_speed_is_that_of_the_ordinary_cores() -> None:
    setup = make_setup(ranks=8, seq_len=1024, param_dtype="fp32")
    v100, t4 = (find_device(name) for name in ("V100", "T4"))
    assert v100 is not None
    assert t4 is not None
    speeds = [throughput_of(named_shape("Llama-3.2-1B"), setup, Machine(one)) for one in (v100, t4)]
    # products take at least their FLOPs over the peak: no step is faster than the data sheet allows
    for speed, peak in zip(speeds, (15.7e12, 8.1e12), strict=True):
        tokens = 1024
        flops = 6 * 1.2358e9 * tokens
        assert speed.breakdown_s["matrix_products"] > 0.9 * flops / peak


def test_in_fp32_there_is_nothing_to_warn_of_and_no_reason_of_bf16() -> None:
    made = plan("V100-32GB", recipe={"seq_len": 1024, "micro_batch": 1, "param_dtype": "fp32"})
    assert not any("bf16" in warning for warning in made.warnings)
    reasons = {one.choice.partition("=")[0]: one.because for one in made.decisions}
    assert "mantissa" not in reasons["param_dtype"]
    assert "in bf16 loses" not in reasons["reduce_dtype"]


def test_an_offloaded_plan_names_its_own_optimizer() -> None:
    made = plan("A100", optimizer="sgd")
    said = " ".join((*made.alternatives, *made.warnings, *(one.because for one in made.decisions)))
    assert "AdamW runs on the CPU" not in said
    assert "sgd updates are smaller" in said


def test_a_replica_in_fp32_has_no_copies_of_autocast() -> None:
    # per parameter: 16 of states, 4 of buckets; and 2 of 16-bit copies where products are in 16 bits
    made = plan("V100-32GB")
    [whether] = [one for one in made.decisions if one.choice.startswith("sharding is")]
    assert "with 4 bytes a parameter more for gradient buckets;" in whether.because
    [whether] = [one for one in plan("A100").decisions if one.choice.startswith("sharding is")]
    assert "with 6 bytes a parameter more for gradient buckets (4) and autocast's bf16 copies (2)" in whether.because
