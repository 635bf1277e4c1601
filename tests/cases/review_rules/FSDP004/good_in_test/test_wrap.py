import pytest
from torch import nn
from torch.distributed.fsdp import fully_shard


def refuses(container):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("torch.cuda.is_available", lambda: False)
        fully_shard(container)


def test_a_list_is_refused():
    try:
        fully_shard(nn.ModuleList([nn.Linear(2, 2)]))
    except ValueError:
        return
    raise AssertionError
