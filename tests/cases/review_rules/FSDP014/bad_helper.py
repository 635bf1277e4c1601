from functools import partial
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy
from model import Block
def wrap_vision(model):
    model.vision = FSDP(model.vision)
    return model
def main(model):
    model = wrap_vision(model)
    pol = partial(transformer_auto_wrap_policy, transformer_layer_cls={Block})
    return FSDP(model, auto_wrap_policy=pol)  # <- FSDP014
