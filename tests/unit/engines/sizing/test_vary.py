"""--vary: a row for each value, the numbers of the memory model itself, nothing else changed."""

import pytest

from contracts.errors import CannotBeKnown, RequestInvalid
from contracts.request import Request
from engines.sizing.choose import choose_plan, setup_of
from engines.sizing.estimate import estimate_memory
from engines.sizing.hf_config import named_shape
from engines.sizing.vary import vary

SHAPE = named_shape("Llama-3.2-1B")
ASKED = Request.model_validate(
    {
        "intent": "plan",
        "method": "full",
        "model": {"name": "Llama-3.2-1B"},
        "hardware": {"gpus": 4, "gpu_type": "A100-40GB"},
        "recipe": {"seq_len": 2048, "micro_batch": 2, "reshard_after_forward": True, "cpu_offload": False},
    }
)


@pytest.fixture(scope="module")
def plan():
    return choose_plan(ASKED, None, SHAPE)


def test_each_row_is_the_prediction_with_that_value_alone(plan):
    found = vary(ASKED, plan, SHAPE, "micro_batch", ["1", "2", "4"])
    setup = setup_of(ASKED, plan.recipe, 4)
    expected = [
        estimate_memory(SHAPE, setup.model_copy(update={"micro_batch": size})).reserved_gib for size in (1, 2, 4)
    ]
    assert [row["reserved"] for row in found.rows] == pytest.approx(expected, abs=0.001)
    assert [row["micro_batch"] for row in found.rows] == ["1", "2", "4"]
    assert found.rows[1]["reserved"] == pytest.approx(plan.memory.reserved_gib, abs=0.001)
    assert found.chart.kind == "line"
    assert "micro_batch=1 takes the least" in found.answer


def test_words_of_the_command_line_mean_the_settings(plan):
    ac = vary(ASKED, plan, SHAPE, "activation-checkpointing", ["none", "full"])
    assert ac.rows[0]["reserved"] > ac.rows[1]["reserved"]
    gpus = vary(ASKED, plan, SHAPE, "gpus", ["4", "8"])
    assert gpus.rows[0]["reserved"] > gpus.rows[1]["reserved"]
    optimizer = vary(ASKED, plan, SHAPE, "optimizer", ["adamw", "adamw_8bit"])
    # 8 bytes of moments a parameter become 2, on a quarter of 1.24e9 each: 1.7 GiB, and foreach's temporaries less
    assert optimizer.rows[0]["reserved"] - optimizer.rows[1]["reserved"] > 1.7
    kinds = vary(ASKED, plan, SHAPE, "gpu", ["A100-40GB", "H100"])
    assert kinds.rows[0]["tokens_per_s_per_gpu"] < kinds.rows[1]["tokens_per_s_per_gpu"]
    assert kinds.rows[0]["reserved"] == kinds.rows[1]["reserved"]


@pytest.mark.parametrize(
    ("key", "values", "says"),
    [
        ("colour", ["red"], "is no setting"),
        ("micro_batch", ["many"], "micro_batch"),
        ("dp_replicate", ["3"], "3"),
        ("micro_batch", [], "1 to 32 values"),
        ("micro_batch", [str(n) for n in range(1, 40)], "not 39"),
    ],
)
def test_what_is_no_setting_or_no_value_is_refused(plan, key, values, says):
    with pytest.raises(RequestInvalid) as refused:
        vary(ASKED, plan, SHAPE, key, values)
    assert says in refused.value.message


def test_a_gpu_that_is_not_known_is_asked_for(plan):
    with pytest.raises(CannotBeKnown, match="Zeta9"):
        vary(ASKED, plan, SHAPE, "gpu", ["Zeta9"])
