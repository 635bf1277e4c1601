"""FSDP018: parameters are counted after an FSDP1 wrap, which shows this rank's shard."""

from collections.abc import Iterator

from engines.review.flow.flat import parameters_of_fsdp1
from engines.review.flow.knowing import objects
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(id="FSDP018", slug="param-count-after-wrap", severity="advice", fix="Count before the wrap.")


def check(flow: Flow) -> Iterator[Hit]:
    """Yield numel() of parameters of a wrapped model."""
    for event in flow.trace.methods("numel", "nelement"):
        for obj in objects(event.receiver):
            walk = obj.made if obj.op == "elem" and obj.label == "parameter" else None
            if walk is not None and any(
                parameters_of_fsdp1(flow.sharding, walk, event, orig_params=setting) for setting in (True, False)
            ):
                yield flow.hit(event, "this counts the local shard, not the model")
