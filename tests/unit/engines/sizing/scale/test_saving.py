"""A job's checkpoints and failures, by hand."""

from math import sqrt

import pytest

from contracts.reliability import Reliability
from engines.sizing.hf_config import named_shape
from engines.sizing.scale.saving import bytes_per_param, checkpointing_of, saving_of
from engines.sizing.setup import make_setup

LLAMA = named_shape("Llama-3-8B")
PARAMS = 8_030_261_248


def test_eight_billion_parameters_on_eight_machines():
    found = saving_of(LLAMA, make_setup(ranks=64, seq_len=8192), 8, Reliability())
    assert found.size_bytes == 12 * PARAMS  # fp32 weights 4, two moments 8
    assert found.save_s == pytest.approx(96.363e9 / 8e9, rel=1e-4)  # 1 GB/s for each of 8 machines: 12.05 s
    assert found.mtbf_s / 3600 == pytest.approx(54 * 24 * 16384 / 419 / 64)  # one in 792 hours
    assert found.restart_s == pytest.approx(600 + found.save_s)


def test_the_published_cluster_fails_every_three_hours_and_works_more_than_nine_tenths_of_the_time():
    """Llama 3, section 3.3.4: 419 interruptions in 54 days, more than 90 % effective training time."""
    shape = named_shape("Llama-3.1-405B")
    found = checkpointing_of(shape, make_setup(ranks=16384, seq_len=8192), 2048, Reliability(), 10.0)
    assert found.hours_between_failures == pytest.approx(54 * 24 / 419, abs=0.001)
    assert 90 < found.useful_pct < 97
    assert found.useful_pct + found.saving_pct + found.lost_pct == pytest.approx(100, abs=0.02)
    # 12 x 405.9e9 / 2048e9 = 2.378 s; sqrt(2 x 2.378 x 11134.6) = 230.1 s
    assert found.size_gb == pytest.approx(12 * 405.9, rel=1e-3)
    assert found.write_s == pytest.approx(2.378, abs=0.002)
    assert found.young_s == pytest.approx(sqrt(2 * 2.378 * 11134.6), abs=0.3)
    assert found.interval_steps == 23
    assert "one in 3.1 hours" in found.arithmetic[2]


def test_what_is_stated_is_not_assumed():
    stated = Reliability(gpu_hours_per_failure=1000, storage_gb_per_s=5, restart_minutes=2)
    found = checkpointing_of(LLAMA, make_setup(ranks=100, seq_len=512), 10, stated, 1.0)
    assert found.hours_between_failures == 10
    assert found.write_s == pytest.approx(96.363 / 50, abs=0.001)
    assert len(found.assumptions) == 1
    assert len(checkpointing_of(LLAMA, make_setup(ranks=8, seq_len=512), 1, Reliability(), 1.0).assumptions) == 4


@pytest.mark.parametrize(
    ("settings", "bytes_each"),
    [({}, 12), ({"master_dtype": "bf16"}, 6), ({"optimizer": "sgd"}, 4), ({"optimizer": "adamw_8bit"}, 6)],
)
def test_bytes_of_a_parameter(settings, bytes_each):
    assert bytes_per_param(make_setup(ranks=8, seq_len=512, **settings)) == bytes_each


def test_of_frozen_weights_only_the_adapters_are_saved():
    found = saving_of(LLAMA, make_setup(ranks=8, seq_len=512, lora_rank=16), 1, Reliability())
    # rank 16 on q, k, v, o, gate, up, down of 32 blocks: 16 x (in + out) each
    widths = (4096 + 4096) * 2 + (4096 + 1024) * 2 + (4096 + 14336) * 3
    assert found.size_bytes == 12 * 32 * 16 * widths
