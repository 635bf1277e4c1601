import torch
from torch.distributed.checkpoint.state_dict import StateDictOptions, set_model_state_dict
from torch.distributed.fsdp import fully_shard
from zoo import Gpt, load_weights


def emptied(config, x):
    with torch.device("meta"):
        model = Gpt(config)
    fully_shard(model)
    model.to_empty(device="cuda")
    model.init_weights()
    return model(x)


def loaded(config, x, state):
    with torch.device("meta"):
        model = Gpt(config)
    fully_shard(model)
    set_model_state_dict(model, state, options=StateDictOptions(full_state_dict=True))
    return model(x)


def elsewhere(config, x, path):
    with torch.device("meta"):
        model = Gpt(config)
    fully_shard(model)
    load_weights(model, path)
    return model(x)
