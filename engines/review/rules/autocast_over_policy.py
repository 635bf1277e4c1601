"""FSDP064: autocast with another dtype than the mixed-precision policy of the model inside."""

from collections.abc import Iterator

from engines.review.flow.knowing import options
from engines.review.flow.precision import dtype_name, policies
from engines.review.flow.training import forwards
from engines.review.flow.values import Obj
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(id="FSDP064", slug="autocast-over-policy", severity="advice", fix="Keep one of them, with the same dtype.")


def check(flow: Flow) -> Iterator[Hit]:
    """Yield autocast contexts whose dtype differs from the policy's."""
    params = {policy.param for shard in flow.sharding.shards for policy in policies(shard)} - {"", "?"}
    reported: set[int] = set()
    for event in forwards(flow.sharding):
        for value in event.withs:
            for option in options(value):
                made = option.made if isinstance(option, Obj) and option.qual == "torch.amp.autocast" else None
                if made is None or id(made) in reported:
                    continue
                dtype = dtype_name(made.kwargs.get("dtype") or (made.args[1] if len(made.args) > 1 else None))
                if len(params) != 1 or dtype == "?":
                    continue
                reported.add(id(made))
                computes = next(iter(params))
                same = dtype in ("", computes)
                yield flow.hit(
                    made,
                    f"the model's policy computes in {computes} already: autocast only adds casts"
                    if same
                    else f"autocast to {dtype} around a model whose policy computes in {computes}",
                )
