import pytest
import torch
from fsdp_sft_config import Recipe
from fsdp_sft_step import build_optimizer, learning_rate


def test_warm_up_is_linear_then_half_a_cosine_to_the_share_at_the_last_step():
    recipe = Recipe(steps=9, warmup_steps=4, lr=1.0, min_lr_ratio=0.2)
    rates = [learning_rate(step, recipe) for step in range(9)]
    # 4 steps up; then cos over 4 intervals from 1.0 to 0.2: 0.6 + 0.4 cos(k pi/4), cos(pi/4) = 0.70711
    expected = [0.25, 0.5, 0.75, 1.0, 1.0, 0.6 + 0.4 * 0.7071068, 0.6, 0.6 - 0.4 * 0.7071068, 0.2]
    assert rates == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("steps", [1, 2])
def test_a_very_short_run_starts_at_the_peak(steps):
    assert learning_rate(0, Recipe(steps=steps, lr=3.0)) == 3.0


def test_after_the_last_step_the_rate_does_not_rise_again():
    recipe = Recipe(steps=10, lr=1.0)
    assert learning_rate(15, recipe) == pytest.approx(0.1)


def test_weight_decay_is_for_matrices_only():
    model = torch.nn.Sequential(torch.nn.Embedding(4, 2), torch.nn.Linear(2, 3), torch.nn.LayerNorm(3))
    optimizer = build_optimizer(model, Recipe(weight_decay=0.5, beta1=0.8, beta2=0.9, eps=1e-6))
    decayed, plain = optimizer.param_groups
    assert [tuple(p.shape) for p in decayed["params"]] == [(4, 2), (3, 2)]
    assert [tuple(p.shape) for p in plain["params"]] == [(3,), (3,), (3,)]
    assert (decayed["weight_decay"], plain["weight_decay"]) == (0.5, 0.0)
    assert (optimizer.defaults["betas"], optimizer.defaults["eps"]) == ((0.8, 0.9), 1e-6)
