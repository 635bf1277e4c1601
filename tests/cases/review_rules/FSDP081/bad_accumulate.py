from torch.distributed.fsdp import fully_shard


def train(model, loader, optimizer, accum):
    fully_shard(model)
    for step, x in enumerate(loader):
        (model(x).sum() / accum).backward()  # <- FSDP081
        if (step + 1) % accum == 0:
            optimizer.step()
            optimizer.zero_grad()
