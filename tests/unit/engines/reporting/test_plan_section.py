"""The plan in a report: speed, bill and alternatives."""

from contracts.aim import Aim
from contracts.recipe import Recipe
from contracts.request import Hardware, ModelRef, Request
from engines.reporting.sections import plan as section
from engines.reporting.story import Story
from engines.sizing.choose import choose_plan
from engines.sizing.hf_config import named_shape


def test_a_plan_tells_its_speed_its_price_and_what_else_would_do():
    request = Request(
        intent="plan",
        model=ModelRef(name="Llama-3-8B"),
        hardware=Hardware(gpus=8, gpu_type="H100"),
        recipe=Recipe(seq_len=8192),
        aim=Aim(tokens=10**9, price_per_gpu_hour=2.5),
    )
    made = choose_plan(request, None, named_shape("Llama-3-8B"))
    text = "\n".join(section(Story(phase="done", thread_id="t", request=request, plan=made)))
    assert f"{made.throughput.tokens_per_s_per_gpu:,.0f} tokens/s/GPU" in text
    assert "GPU hours x 2.5" in text
    assert "Considered, not chosen" in text
    assert "compile=True" in text.replace("\\", "")
