"""The questions of several machines."""

import pytest

from contracts.errors import RequestInvalid
from contracts.reliability import Reliability
from engines.sizing.hf_config import named_shape
from engines.sizing.scale.interval import daly_s
from engines.sizing.setup import make_setup
from engines.sizing.throughput.predict import Machine
from engines.sizing.whatif.case import Case
from engines.sizing.whatif.questions import answer
from knowledge.devices import find_device

H100 = find_device("H100")


def ask(question, model="Llama-3-8B", ranks=32, network=None, reliability=None, **settings):
    given = {"seq_len": 4096, "ac": "full"} | settings
    machine = Machine(H100, None, network)
    case = Case(named_shape(model), make_setup(ranks=ranks, **given), machine, H100.usable_gib)
    if reliability:
        case = Case(case.shape, case.setup, machine, H100.usable_gib, reliability)
    return answer(question, case)


def test_the_mesh_of_one_machine_is_no_question():
    with pytest.raises(RequestInvalid, match="8 ranks are one machine of 8"):
        ask("sharding-mesh", ranks=8)


def test_one_mesh_is_chosen():
    found = ask("sharding-mesh")
    assert [row["chosen"] for row in found.rows].count(True) == 1
    assert {row["replicas"] * row["shard_ranks"] for row in found.rows} == {32}
    assert all(row["reserved"] > 0 for row in found.rows)


def test_scaling_goes_to_sixteen_thousand_gpus_and_names_what_it_rests_on():
    found = ask("scaling")
    assert [row["gpus"] for row in found.rows] == [8 * 2**n for n in range(12)]
    assert any("512 GPUs" in line for line in found.assumptions)
    rates = [row["useful_tokens_per_s"] / row["tokens_per_s"] for row in found.rows]
    assert rates == sorted(rates, reverse=True)  # the larger the job, the more of its time failures take


def test_stacked_experts_are_warned_of():
    found = ask("scaling", model="Mixtral-8x7B", ranks=64)
    assert any(line.startswith("8 experts are rows of one tensor") for line in found.assumptions)
    assert not any("rows of one tensor" in line for line in ask("scaling").assumptions)


def test_a_batch_that_divides_over_no_machine_is_said():
    with pytest.raises(RequestInvalid, match="global batch of 12 sequences divides over no number of machines of 8"):
        ask("scaling-fixed-batch", ranks=12)


def test_the_best_interval_is_in_the_middle_and_best():
    hours = Reliability(gpu_hours_per_failure=3200, storage_gb_per_s=2, restart_minutes=5)
    found = ask("checkpoint-interval", reliability=hours)
    useful = [row["useful"] for row in found.rows]
    assert max(useful) == useful[3]
    # 12 x 8.030 GB / (4 x 2 GB/s) = 12.05 s; 3200 / 32 = 100 hours
    assert found.rows[3]["interval"] == pytest.approx(daly_s(12.0454, 360_000) / 60, abs=0.02)
    assert all(row["saving"] + row["lost"] + row["useful"] == pytest.approx(100, abs=0.02) for row in found.rows)
    assert "the job fails every 100.0 hours" in found.answer
