import json

import pytest
import torch
from fsdp_sft_config import ConfigError
from fsdp_sft_weights import load_weights, shard_rows
from safetensors.torch import save_file


@pytest.mark.parametrize("rows", [1, 2, 3, 7, 8, 512])
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 8])
def test_rows_are_cut_as_torch_chunk_cuts_them(rows, ranks):
    pieces = [piece.tolist() for piece in torch.arange(rows).chunk(ranks)]
    pieces += [[] for _ in range(ranks - len(pieces))]
    assert [list(range(*shard_rows(rows, ranks, place))) for place in range(ranks)] == pieces


@pytest.fixture
def model():
    return torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))


def stored(model):
    return {name: torch.full_like(tensor, 2) for name, tensor in model.state_dict().items()}


def test_fills_parameters_and_persistent_buffers_and_counts_what_it_read(model, tmp_path):
    save_file({name: tensor.bfloat16() for name, tensor in stored(model).items()}, tmp_path / "model.safetensors")
    count = load_weights(model, tmp_path)
    assert all((tensor == 2).all() for tensor in model.state_dict().values())
    assert all(parameter.dtype == torch.float32 for parameter in model.parameters())
    # 6 weights and 2 biases; 2 scales, 2 shifts, 2 means, 2 variances, 1 counter
    assert (count.elements, count.largest) == (17, 6)


def test_reads_several_files_by_their_index(model, tmp_path):
    tensors = stored(model)
    weight_map = {}
    for number, name in enumerate(tensors):
        weight_map[name] = f"part-{number % 2}.safetensors"
    for file in set(weight_map.values()):
        save_file({name: tensors[name] for name, place in weight_map.items() if place == file}, tmp_path / file)
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))
    load_weights(model, tmp_path)
    assert all((tensor == 2).all() for tensor in model.state_dict().values())


def test_a_file_of_a_base_model_lacks_the_prefix(tmp_path):
    model = torch.nn.ModuleDict({"base": torch.nn.Linear(1, 1)})
    model.base_model_prefix = "base"
    save_file({"weight": torch.ones(1, 1), "bias": torch.ones(1)}, tmp_path / "model.safetensors")
    load_weights(model, tmp_path)
    assert model["base"].weight.item() == 1


def test_a_weight_that_no_file_has_is_named(model, tmp_path):
    save_file({"0.bias": torch.zeros(2)}, tmp_path / "model.safetensors")
    with pytest.raises(ConfigError, match=r"no weights for 6 tensors of the model: 0\.weight, 1\.weight"):
        load_weights(model, tmp_path)


def test_a_shape_that_differs_is_named(model, tmp_path):
    save_file(stored(model) | {"0.weight": torch.zeros(2, 4)}, tmp_path / "model.safetensors")
    with pytest.raises(ConfigError, match=r"0\.weight has shape \(2, 4\), the model's configuration asks for \(2, 3\)"):
        load_weights(model, tmp_path)


@pytest.mark.parametrize("file", ["../outside.safetensors", "missing.safetensors", "a/b.safetensors"])
def test_an_index_cannot_lead_out_of_the_folder(model, tmp_path, file):
    folder = tmp_path / "model"
    folder.mkdir()
    save_file(stored(model), tmp_path / "outside.safetensors")
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": dict.fromkeys(stored(model), file)}))
    with pytest.raises(ConfigError, match="which is not a file of"):
        load_weights(model, folder)


@pytest.mark.parametrize("index", ["{", "[]", '{"weight_map": 3}'])
def test_a_broken_index_is_refused(model, tmp_path, index):
    (tmp_path / "model.safetensors.index.json").write_text(index)
    with pytest.raises(ConfigError, match="is not an index of safetensors files"):
        load_weights(model, tmp_path)


def test_a_folder_without_weights_and_a_broken_file_are_refused(model, tmp_path):
    with pytest.raises(ConfigError, match=r"neither model\.safetensors nor"):
        load_weights(model, tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"not safetensors")
    with pytest.raises(ConfigError, match="is not a readable safetensors file"):
        load_weights(model, tmp_path)
