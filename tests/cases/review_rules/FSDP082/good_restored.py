from torch.distributed.fsdp import fully_shard


def train(model, batches, optimizer):
    fully_shard(model)
    for group in batches:
        model.set_requires_gradient_sync(False)
        for x in group[:-1]:
            model(x).sum().backward()
        model.set_requires_gradient_sync(True)
        model(group[-1]).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
