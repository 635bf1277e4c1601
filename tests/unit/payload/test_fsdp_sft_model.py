import pytest
import torch
from fsdp_sft_config import ConfigError
from fsdp_sft_model import decoder_blocks, recreate_buffers
from torch import nn


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()


class Model(nn.Module):
    _no_split_modules = ("Block", "Inner")

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Block(), Block()])
        self.head = nn.Linear(2, 2)


def test_blocks_come_children_before_parents():
    model = Model()
    blocks = decoder_blocks(model)
    assert len(blocks) == 4
    for block in model.layers:
        assert blocks.index(block.inner) < blocks.index(block)


def test_a_block_that_shares_a_weight_is_left_to_the_root():
    model = Model()
    model.head.weight = model.layers[1].inner.linear.weight
    assert decoder_blocks(model) == [model.layers[0].inner, model.layers[0]]


@pytest.mark.parametrize("classes", [None, (), ("Other",)])
def test_a_model_without_blocks_is_refused(classes):
    model = Model()
    model._no_split_modules = classes
    with pytest.raises(ConfigError, match="Model names no blocks to shard"):
        decoder_blocks(model)


class WithBuffers(nn.Module):
    """Stands for a Hugging Face model: `_init_weights` computes one of its two buffers, or both."""

    def __init__(self, computed):
        super().__init__()
        self.config = type("Config", (), {"architectures": ["WithBuffers"]})
        self.rotary = nn.Module()
        self.rotary.register_buffer("frequencies", torch.zeros(3), persistent=False)
        self.rotary.register_buffer("other", torch.zeros(2), persistent=False)
        self.rotary.register_buffer("stored", torch.ones(1))
        self._computed = computed

    def _init_weights(self, module):
        for name in self._computed:
            getattr(module, name).fill_(7.0)


def test_buffers_that_no_file_has_are_computed_anew():
    model = WithBuffers(["frequencies", "other"])
    recreate_buffers(model, torch.device("cpu"))
    assert [model.rotary.frequencies.tolist(), model.rotary.other.tolist()] == [[7.0] * 3, [7.0] * 2]
    assert model.rotary.stored.item() == 1


def test_a_buffer_that_transformers_leaves_out_is_named():
    with pytest.raises(ConfigError, match=r"WithBuffers: transformers does not re-create the buffer rotary\.other"):
        recreate_buffers(WithBuffers(["frequencies"]), torch.device("cpu"))
