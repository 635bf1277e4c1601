"""FSDP103: ranks are seeded differently before the model is made, and part of it is replicated."""

from collections.abc import Iterator

from engines.review.flow.meshes import meshes
from engines.review.flow.names import FULLY_SHARD
from engines.review.flow.training import made_from
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP103",
    slug="replicated-state-not-synced",
    severity="warning",
    fix="Seed alike until the model is made, or broadcast its state from rank 0.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield rank-dependent seeds before a model with replicas or ignored parameters."""
    if flow.mentions("broadcast", "sync_module_states"):
        return
    replicated = [
        event
        for event in flow.trace.calls(FULLY_SHARD)
        if "ignored_params" in event.kwargs or any(mesh.rank == 2 for mesh in meshes(event.arg(1, "mesh")))
    ]
    for seed in flow.trace.calls("torch.manual_seed"):
        by_rank = any(made_from(value, lambda obj: obj.rank in ("global", "local")) for value in seed.args)
        for event in replicated:
            models = [target for shard in flow.sharding.shards if shard.event is event for target in shard.targets]
            made = [target.made for target in models if target.made is not None]
            if by_rank and any(flow.trace.before(seed, maker) for maker in made):
                yield flow.hit(
                    seed, "ranks initialise differently, and replicas (or ignored parameters) keep the difference"
                )
                return
