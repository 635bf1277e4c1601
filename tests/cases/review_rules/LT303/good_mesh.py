from lightning.pytorch.strategies import FSDPStrategy


def strategy(layers):
    a = FSDPStrategy(sharding_strategy="HYBRID_SHARD", device_mesh=(2, 4))
    b = FSDPStrategy(sharding_strategy="HYBRID_SHARD", auto_wrap_policy={layers})
    return a, b
