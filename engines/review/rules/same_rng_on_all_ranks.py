"""FSDP096: one seed for all ranks and dropout: the same masks on every rank's different data."""

from collections.abc import Iterator

from engines.review.flow.training import backwards, made_from
from engines.review.flow.values import Const
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP096",
    slug="same-rng-on-all-ranks",
    severity="advice",
    fix="After the model is made, seed again with seed + data-parallel rank.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield constant seeds in files that shard, train and use dropout."""
    if (
        not flow.sharding.shards
        or not flow.mentions("Dropout", "dropout")
        or not any(True for _ in backwards(flow.trace))
    ):
        return
    seeds = list(flow.trace.calls("torch.manual_seed"))
    by_rank = [e for e in seeds if any(made_from(a, lambda o: bool(o.rank)) for a in e.args)]
    if not by_rank:
        constant = [event for event in seeds if event.args and isinstance(event.args[0], Const)]
        for event in constant[:1]:
            yield flow.hit(event, "all ranks draw the same dropout masks")
