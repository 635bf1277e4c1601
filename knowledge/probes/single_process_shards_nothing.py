"""With a world size of 1 fully_shard works and shards nothing."""

from _lab import Net, batch, shard

WORLD_SIZE = 1


def probe(rank, world_size):
    """Shard on one rank and compare the local shard with the parameter."""
    net = shard(Net())
    net(batch(rank)).sum().backward()
    for parameter in net.parameters():
        assert parameter.to_local().shape == parameter.shape, parameter
    return {"world size 1": "every local shard is the whole parameter, no warning"}
