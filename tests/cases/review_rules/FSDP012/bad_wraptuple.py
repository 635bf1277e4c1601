import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from transformers.models.llama.modeling_llama import LlamaDecoderLayer
def cfg():
    return dict(use_orig_params=True, auto_wrap_policy=(LlamaDecoderLayer,))
class W:
    def __init__(self, m):
        self.m = FSDP(m, **cfg())  # <- FSDP012
