"""A search over two thousand configurations takes five seconds of one core at most."""

import time

import pytest

from contracts.aim import Aim
from engines.sizing.hf_config import named_shape
from engines.sizing.search.find import search
from engines.sizing.search.space import all_axes
from engines.sizing.throughput.predict import Machine
from knowledge.devices import find_device

LIMIT_S = 5.0
"""Processor seconds."""


@pytest.mark.slow
@pytest.mark.parametrize(("model", "ranks"), [("Llama-3-70B", 64), ("Qwen3-235B-A22B", 128), ("Llama-3.1-405B", 256)])
def test_two_thousand_configurations(model, ranks):
    shape, device = named_shape(model), find_device("H100")
    assert device is not None
    base = {"ranks": ranks, "seq_len": 8192, "norm_kernel": "decomposed"}
    axes = all_axes(shape, ranks, 8, 8192, device)
    started = time.process_time()
    found = search(shape, base, axes, Machine(device), device.usable_gib, Aim())
    assert found.considered >= 2000
    assert time.process_time() - started < LIMIT_S
