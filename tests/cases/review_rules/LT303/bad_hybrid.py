from lightning.pytorch.strategies import FSDPStrategy


def strategy():
    return FSDPStrategy(sharding_strategy="HYBRID_SHARD")  # <- LT303
