from torch.distributed.fsdp import fully_shard


def train(model, loader, optimizer, accum, best):
    fully_shard(model)
    for step, x in enumerate(loader):
        loss = model(x).mean()
        if loss.item() < best:
            print("better")
        if step % 2:
            (loss * 2).backward()
        else:
            loss.backward()
        if (step + 1) % accum:
            continue
        optimizer.step()
        optimizer.zero_grad()
