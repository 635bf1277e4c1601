from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
import transformers

LAYERS = {"llama": "LlamaDecoderLayer", "t5": "T5Block"}

def find(model, name):
    return next(type(m) for m in model.modules() if type(m).__name__ == name)

def main(model, fam, dev):
    cls = find(model, LAYERS[fam])
    other = {getattr(transformers.models.llama.modeling_llama, n) for n in LAYERS.values()}
    return FSDP(model, auto_wrap_policy=ModuleWrapPolicy({cls} | other), device_id=dev)
