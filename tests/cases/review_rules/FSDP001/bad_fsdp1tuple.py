import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
def create(cfg):
    model = torch.nn.Transformer(cfg.d).cuda()
    optimizer = torch.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), lr=cfg.lr)  # <- FSDP001
    return model, optimizer
def main(cfg):
    model, optimizer = create(cfg)
    wrapped = FSDP(model, device_id=torch.cuda.current_device())
    for x, y in cfg.loader:
        loss = wrapped(x).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
