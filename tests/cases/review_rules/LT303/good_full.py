from lightning.pytorch.strategies import FSDPStrategy


def strategy(options, kind):
    return FSDPStrategy(), FSDPStrategy(sharding_strategy="HYBRID_SHARD", **options), FSDPStrategy(sharding_strategy=kind)
