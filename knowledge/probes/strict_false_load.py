"""strict=False hides a wrong key prefix: nothing is loaded and nothing is said."""

import torch
from _lab import Net, raises, shard
from torch.distributed.checkpoint.state_dict import StateDictOptions, set_model_state_dict


def probe(rank, world_size):
    """Load keys with a module. prefix, strictly and not; then an empty dict not strictly."""
    torch.manual_seed(5)
    wrong = {f"module.{name}": value for name, value in Net().state_dict().items()}
    torch.manual_seed(0)
    plain = Net()
    before = plain.head.weight.clone()
    raises(RuntimeError, "Missing key(s) in state_dict", lambda: plain.load_state_dict(wrong))
    result = plain.load_state_dict(wrong, strict=False)
    assert (len(result.missing_keys), len(result.unexpected_keys)) == (12, 12)
    assert torch.equal(plain.head.weight, before)
    net = shard(Net())
    kept = net.head.weight.full_tensor()
    loose = StateDictOptions(full_state_dict=True, strict=False)
    result = set_model_state_dict(net, dict(wrong), options=loose)
    assert torch.equal(net.head.weight.full_tensor(), kept)
    reported = (len(result.missing_keys), len(result.unexpected_keys))
    empty = set_model_state_dict(net, {}, options=loose)
    assert not empty.missing_keys, "an empty dict passes as a full success"
    assert not empty.unexpected_keys, "an empty dict passes as a full success"
    return {
        "prefix module.": "12 missing, 12 unexpected, 0 loaded",
        "set_model_state_dict": list(reported),
        "{}": "no keys reported",
    }
