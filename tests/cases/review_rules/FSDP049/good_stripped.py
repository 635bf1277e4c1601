import torch


def save(model, path):
    model = torch.compile(model)
    state = {k.replace("_orig_mod.", ""): v for k, v in model.state_dict().items()}
    torch.save(state, path)
