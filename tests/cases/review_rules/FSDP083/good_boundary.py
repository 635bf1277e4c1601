from torch.distributed.fsdp import fully_shard


def run(net, optimizer, batches, accumulate, spoiled):
    fully_shard(net)
    for index, batch in enumerate(batches):
        boundary = (index + 1) % accumulate == 0
        net.set_requires_gradient_sync(boundary)
        net(batch).sum().backward()
        if boundary and spoiled(batch):
            optimizer.zero_grad()
        elif boundary:
            optimizer.step()
            optimizer.zero_grad()
