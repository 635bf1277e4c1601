import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from transformers import Wav2Vec2ForCTC

def main(name, dev):
    model = Wav2Vec2ForCTC.from_pretrained(name)
    model.freeze_feature_encoder()
    return FSDP(model, device_id=dev)  # <- FSDP015
