from torch.distributed.fsdp import fully_shard


class Run:
    def __init__(self, net, mesh):
        for part in (net.encoder, net.decoder):
            fully_shard(part, mesh=mesh)
        self.net = fully_shard(net, mesh=mesh)

    def loss(self, x):
        loss = self.net(x).mean()
        loss.backward()
        return loss, self.net.encoder(x)


def in_parts(net, x, mesh):
    fully_shard(net.encoder, mesh=mesh)
    fully_shard(net.decoder, mesh=mesh)
    return net.decoder(net.encoder(x))
