STRATEGY = "hybrid_shard_zero2 auto_wrap"
