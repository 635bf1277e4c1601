"""Time and cost, by pocket calculator."""

import pytest

from contracts.aim import Aim
from contracts.plan import Throughput
from engines.sizing.search.bill import bill_for

SPEED = Throughput(tokens_per_s_per_gpu=5000, mfu_pct=30, bound_by="compute", error_pct=15)


def test_a_billion_tokens_on_eight_gpus():
    bill = bill_for(Aim(tokens=10**9, price_per_gpu_hour=2.5), None, SPEED, 8)
    # 1e9 / (5000 x 8) = 25,000 s = 6.944 h; x 8 = 55.56 GPU hours; x 2.5 = 138.89
    assert bill.hours == pytest.approx(6.944, abs=0.001)
    assert bill.gpu_hours == pytest.approx(55.56, abs=0.01)
    assert bill.cost == pytest.approx(138.89, abs=0.01)
    assert "55.56 GPU hours x 2.5 = 138.89" in bill.arithmetic


def test_without_a_price_there_is_no_cost_and_without_tokens_no_bill():
    assert bill_for(Aim(), 72_000_000, SPEED, 4).cost is None
    assert bill_for(Aim(), 72_000_000, SPEED, 4).hours == 1
    assert bill_for(Aim(price_per_gpu_hour=2), None, SPEED, 4) is None
