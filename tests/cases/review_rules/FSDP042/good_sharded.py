from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict


def state(model, offload):
    get_model_state_dict(model)
    get_model_state_dict(model, options=StateDictOptions(full_state_dict=True, cpu_offload=offload))
    return get_model_state_dict(model, options=StateDictOptions(full_state_dict=False))
