"""FSDP009: the blocks are sharded, the root never is.

Said only where the module is used afterwards as if it were done (an optimizer over it, a
forward pass); a function that shards blocks and hands the module back may leave the root to
its caller. Silent where anything unknown got hold of the module in between.
"""

from collections.abc import Iterator

from engines.review.flow.chosen import CHOSEN_BY
from engines.review.flow.knowing import objects, options
from engines.review.flow.names import FULLY_SHARD
from engines.review.flow.optimizers import is_optimizer_call, optimizers
from engines.review.flow.sharding import Shard, base, chain, within
from engines.review.flow.trace import Event
from engines.review.flow.values import UNKNOWN, Class, Ext, Obj, Seq, Value
from engines.review.rule import Flow, Hit, Rule, at

RULE = Rule(
    id="FSDP009",
    slug="root-not-sharded",
    severity="error",
    fix="Call fully_shard(model) on the root, last, with the same arguments.",
)

_HARMLESS = (
    "torch.",
    "builtins.",
    "print",
    "len",
    "isinstance",
    "hasattr",
    "getattr",
    "setattr",
    "id",
    "type",
    "sum",
    "list",
    "next",
)
_PARTIAL = ("stage", "chunk", "part", "submodule")


def check(flow: Flow) -> Iterator[Hit]:
    """Yield sharded layer lists whose owner is not sharded on any path."""
    seen: set[int] = set()
    shards = [shard for shard in flow.sharding.shards if shard.kind == "fsdp2"]
    for shard in shards:
        for target in shard.targets:
            owner = _owner(target) or _walked(shard, target)
            if owner is None or id(owner) in seen:
                continue
            seen.add(id(owner))
            last = _last_of(shards, owner)
            use = _used_as_done(flow, owner, last.event)
            if use is None or _covered(flow, owner, last.event):
                continue
            yield _hit(last.event, use, owner)


def _owner(target: Obj) -> Obj | None:
    """Return the module that holds the list of which the target is an element."""
    if target.op != "elem" or target.parent is None:
        return None
    holder = base(target.parent)
    if holder.op not in ("attr", "call") or holder.parent is None:
        return None
    owner = base(holder.parent)
    top = list(chain(owner))
    if any(word in link.label for link in top for word in _PARTIAL):
        return None
    return owner if owner is not UNKNOWN else None


def _walked(shard: Shard, target: Obj) -> Obj | None:
    """Return the module that is walked with a filter on classes of which it is none itself."""
    if target.op != "descendant" or target.parent is None:
        return None
    owner = base(target.parent)
    own = owner.cls.node.name if owner.cls is not None else owner.qual.rpartition(".")[2]
    chosen = target.attrs.get(CHOSEN_BY)
    tests = [guard.test for guard in shard.event.guards] + (chosen.items if isinstance(chosen, Seq) else [])
    for test in tests:
        for option in options(test):
            made = option.made if isinstance(option, Obj) else None
            if made is None or made.qual != "isinstance" or len(made.args) < 2:
                continue
            names = [
                _class_name(item) for item in (made.args[1].items if isinstance(made.args[1], Seq) else [made.args[1]])
            ]
            known_owner = owner.op in ("new", "call") and own
            if all(names) and known_owner and own not in names:
                return owner
    return None


def _class_name(value: Value) -> str:
    if isinstance(value, Class):
        return value.node.name
    return value.name.rpartition(".")[2] if isinstance(value, Ext) else ""


def _last_of(shards: list[Shard], owner: Obj) -> Shard:
    return [s for s in shards if any((_owner(t) or _walked(s, t)) is owner for t in s.targets)][-1]


def _covered(flow: Flow, owner: Obj, last: Event) -> bool:
    """Tell whether the owner or a module around it may be sharded after all."""
    links = list(chain(owner))
    for shard in flow.sharding.shards:
        if not shard.targets:
            return True
        for target in shard.targets:
            if any(target is link for link in links):
                return True
            if target.op == "descendant" and within(target, links[-1]) and _walked(shard, target) is None:
                return True
            if len(list(chain(target))) == 1 and target.op in ("call", "expr", "elem"):
                return True
    return any(_unknown_hands(event, links) for event in flow.trace.events if event.run == last.run)


def _unknown_hands(event: Event, links: list[Obj]) -> bool:
    """Tell whether a module goes to a callee that may shard it: neither torch's nor followed."""
    if event.kind != "call" or event.qual == FULLY_SHARD or is_optimizer_call(event):
        return False
    if event.qual.startswith(_HARMLESS) and not event.qual.startswith(("torch.nn.parallel", "torch.distributed._comp")):
        return False
    given = [obj for value in (*event.args, *event.kwargs.values()) for obj in objects(value)]
    return any(base(obj) is link for obj in given for link in links)


def _used_as_done(flow: Flow, owner: Obj, last: Event) -> Event | None:
    """Return the first event after the sharding that treats the whole module as finished."""
    links = list(chain(owner))
    for event, owners in optimizers(flow.trace):
        if flow.trace.before(last, event) and any(base(one) is link for one in owners for link in links):
            return event
    for event in flow.trace.objects_called:
        called = [base(obj) for obj in objects(event.callee)]
        if flow.trace.before(last, event) and any(one is link for one in called for link in links):
            return event
    return None


def _hit(last: Event, use: Event, owner: Obj) -> Hit:
    """Point into the function that does the sharding: the outermost one that does not yet use the module."""
    shared = 0
    for mine, other in zip(last.stack, use.stack, strict=False):
        if mine != other:
            break
        shared += 1
    inner = last.stack[shared + 1 :]
    place = (inner[0].module, inner[0].node) if inner else (last.module, last.node)
    name = owner.label or "the module"
    return at(
        *place,
        f"layers of {name} are sharded but {name} itself never is: its other parameters stay plain tensors"
        " whose gradients are not reduced",
    )
