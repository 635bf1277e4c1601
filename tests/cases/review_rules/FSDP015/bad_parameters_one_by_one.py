import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import CPUOffload, BackwardPrefetch
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from transformers.models.bert.modeling_bert import BertLayer


def freeze_embeddings(net):
    for p in net.embeddings.parameters():
        p.requires_grad_(False)


def finetune(net, dev):
    freeze_embeddings(net)
    return FSDP(net, auto_wrap_policy=ModuleWrapPolicy([BertLayer]), backward_prefetch=BackwardPrefetch.BACKWARD_PRE, device_id=dev)  # <- FSDP015
