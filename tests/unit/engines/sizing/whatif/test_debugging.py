"""The 3 debugging questions, checked against the recorded blocks and by hand."""

import pytest

from engines.sizing.decoder import record_block
from engines.sizing.hf_config import named_shape
from engines.sizing.setup import make_setup
from engines.sizing.whatif.case import Case
from engines.sizing.whatif.kept import kept_by_module
from engines.sizing.whatif.questions import answer

LLAMA = named_shape("Llama-3-8B")
GIB = 2**30
TOKENS = 8192


def setup(**settings):
    return make_setup(**({"ranks": 8, "seq_len": TOKENS} | settings))


def by(found, label):
    first = found.columns[0].name
    return next(row for row in found.rows if row[first] == label)


@pytest.mark.parametrize("model", ["Llama-3-8B", "Mixtral-8x7B", "Gemma-2-9B", "Qwen3-8B", "Phi-4"])
@pytest.mark.parametrize("ac", ["none", "selective_op", "full"])
def test_modules_keep_what_the_block_keeps(model, ac):
    shape, chosen = named_shape(model), setup(ac=ac, seq_len=512)
    mixture = shape.mixture_layers > 0
    piece = record_block(shape, chosen, mixture=mixture, checkpointed=ac != "none")
    sizes = dict(event for event in piece.forward if event[1])
    sizes[piece.source] = chosen.residual_bytes * chosen.tokens * shape.hidden
    whole = sum(sizes[slot] for slot in piece.kept)
    found = kept_by_module(shape, chosen, mixture=mixture, checkpointed=ac != "none")
    assert sum(found.values()) == whole


def test_the_feed_forward_dominates_a_block_without_checkpointing():
    found = answer("activation-modules", Case(LLAMA, setup(ac="none")))
    # gate and up, the gate's activation and the product: four of width 14336 in bf16
    assert by(found, "feed-forward")["per_block"] == pytest.approx(4 * 2 * TOKENS * 14336 / GIB, rel=0.01)
    assert found.answer.startswith("feed-forward keeps")


def test_under_full_checkpointing_only_inputs_are_kept():
    found = answer("activation-modules", Case(LLAMA, setup(ac="full")))
    assert by(found, "residual stream")["size"] == pytest.approx(2 * TOKENS * 4096 * 32 / GIB)


def test_the_root_holds_embedding_and_head():
    found = answer("unsharded-units", Case(LLAMA, setup()))
    assert by(found, "root")["gathered"] == pytest.approx(2 * (2 * 128256 * 4096 + 4096) / GIB, rel=1e-3)
    block = 2 * 4096 * 4096 + 2 * 1024 * 4096 + 3 * 14336 * 4096 + 2 * 4096
    assert by(found, "block")["gathered"] == pytest.approx(2 * block / GIB, rel=1e-3)
    assert "root" in found.answer


def test_units_that_are_not_resharded_are_added_up():
    found = answer("unsharded-units", Case(LLAMA, setup(reshard_after_forward=False)))
    row = by(found, "block, kept")
    assert row["units"] == 32
    assert row["gathered_together"] == pytest.approx(32 * row["gathered"], rel=1e-3)


def test_checkpointing_releases_all_but_the_inputs():
    found = answer("checkpoint-releasing", Case(LLAMA, setup(ac="full")))
    kept = by(found, "full")["kept"]
    assert kept == pytest.approx(2 * TOKENS * 4096 * 32 / GIB, abs=0.01)
    before = by(found, "no checkpointing")
    after = by(found, "full")
    difference = before["allocated_after_forward"] - after["allocated_after_forward"]
    assert difference == pytest.approx(before["kept"] - after["kept"], abs=0.6)
