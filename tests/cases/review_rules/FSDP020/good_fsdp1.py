from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import StateDictType


def main(model, policy):
    model = FSDP(model, auto_wrap_policy=policy)
    model.clip_grad_norm_(1.0)
    with FSDP.state_dict_type(model, StateDictType.SHARDED_STATE_DICT):
        return model.state_dict()
