"""What a plan says of bf16, of fp32, and of the optimizer that runs on the CPU."""

import pytest

from contracts.plan import Plan
from contracts.request import Request
from engines.sizing.choose import choose_plan
from engines.sizing.hf_config import named_shape


def plan(gpu: str, **fields: object) -> Plan:
    body = {
        "intent": "plan",
        "model": {"name": "Llama-3.2-1B"},
        "hardware": {"gpus": 8, "gpu_type": gpu},
        "recipe": {"seq_len": 1024, "micro_batch": 1},
    }
    return choose_plan(Request.model_validate(body | fields), None, named_shape("Llama-3.2-1B"))


@pytest.mark.parametrize(("gpu", "warned"), [("V100-32GB", True), ("V100-16GB", True), ("T4", True), ("A100", False)])
def test_a_gpu_without_bf16_hardware_is_told_of(gpu: str, warned: bool) -> None:
    # Volta has compute capability 7.0, Turing 7.5; bf16 came with 8.0
    made = plan(gpu)
    assert any("no bf16 hardware" in warning for warning in made.warnings) == warned
    assert any("as with fp16" in assumption for assumption in made.assumptions) == warned


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
