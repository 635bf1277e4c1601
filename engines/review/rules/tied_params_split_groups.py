"""FSDP008: tied weights that land in two fully_shard units.

Older torch shards two copies that drift apart without a word; 2.13 refuses at the first
forward. Silent under a condition on tying.
"""

import ast
import re
from collections.abc import Iterator

from engines.review.flow.sharding import Shard, base, chain
from engines.review.flow.trace import Event
from engines.review.flow.values import Obj
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP008",
    slug="tied-params-split-groups",
    severity="error",
    fix="Shard both as one unit, fully_shard([embedding, head]), or leave both to the root.",
)

_TYING = re.compile(r"ti(e|ed|es|ing)(_|\b)|tying|shar(e|ed|ing)|\.weight\b", re.IGNORECASE)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield units that take one of two tied modules without the other."""
    shards = [shard for shard in flow.sharding.shards if shard.kind == "fsdp2"]
    reported: set[tuple[int, str, str]] = set()
    for shard in shards:
        for target in shard.targets:
            if target.parent is None or _asks_about_tying(shard.event) or _tied_again(flow, shard):
                continue
            for first, second in _ties(flow, target):
                name = target.label.rpartition(".")[2]
                key = (id(list(chain(target))[-1]), first, second)
                if name not in (first, second) or key in reported:
                    continue
                other = second if name == first else first
                if not _in_unit(shard, other):
                    reported.add(key)
                    yield flow.hit(
                        shard.event,
                        f"{first}.weight and {second}.weight are one parameter, but only {name} is in this unit",
                    )


def _ties(flow: Flow, target: Obj) -> list[tuple[str, str]]:
    """Return ties that the class makes, and those made on the model itself."""
    top = list(chain(target))[-1]
    found = flow.shapes.ties(top)
    for event in flow.trace.kind("setattr"):
        value = event.args[0]
        if event.name != "weight" or event.guards or not isinstance(event.receiver, Obj) or not isinstance(value, Obj):
            continue
        owner = base(event.receiver)
        if value.parent is not None and value.parent is not owner and list(chain(owner))[-1] is top:
            found.append((owner.label.rpartition(".")[2], value.parent.label.rpartition(".")[2]))
    return list(dict.fromkeys(found))


def _tied_again(flow: Flow, shard: Shard) -> bool:
    """Tell whether parameters are replaced before the wrap, which unties them, and tied after it.

    Two units then take the one parameter at the first forward, and its gradient gets both parts: measured on
    2.13, two ranks, equal to the unsharded model. Without the replacement 2.13 refuses.
    """
    replaced = any(event.seq < shard.event.seq for event in flow.trace.calls("setattr"))
    return replaced and any(
        event.name == "weight" and event.run == shard.event.run and event.seq > shard.event.seq
        for event in flow.trace.kind("setattr")
    )


def _in_unit(shard: Shard, name: str) -> bool:
    return any(target.label.rpartition(".")[2] == name for target in shard.targets)


def _asks_about_tying(event: Event) -> bool:
    tests = [guard.node.test for guard in event.guards if isinstance(guard.node, ast.If | ast.IfExp | ast.While)]
    return any(_TYING.search(ast.unparse(test)) for test in tests)
