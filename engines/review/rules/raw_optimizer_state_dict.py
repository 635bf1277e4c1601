"""FSDP046: the optimizer's own state_dict() where FSDP needs its state translated.

FSDP1: it is keyed by index and holds flat local shards. FSDP2: as the target of dcp.load
before any step it is empty, and nothing is loaded.
"""

from collections.abc import Iterator

from engines.review.flow.knowing import origins
from engines.review.flow.loading import READERS
from engines.review.flow.names import DCP
from engines.review.flow.optimizers import parameter_owners
from engines.review.flow.trace import Event
from engines.review.flow.training import names_optimizer, steps
from engines.review.flow.values import Obj, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP046",
    slug="raw-optimizer-state-dict",
    severity="error",
    fix="get_optimizer_state_dict / set_optimizer_state_dict (torch.distributed.checkpoint.state_dict).",
)

_TRANSLATES = ("optim_state_dict", "full_optim_state_dict", "sharded_optim_state_dict", "optim_state_dict_to_load")


def check(flow: Flow) -> Iterator[Hit]:
    """Yield raw optimizer states that are saved with FSDP1 or loaded into by dcp."""
    if flow.mentions("_init_optim_state", *(f"{name}(" for name in _TRANSLATES)):
        return
    for event in flow.trace.calls("torch.save", f"{DCP}.save", f"{DCP}.async_save"):
        made = _raw_state(event.args[0] if event.args else event.kwargs.get("obj", event.kwargs.get("state_dict")))
        if made is not None and _sharded(flow, made) == "fsdp1" and not _of_this_rank(event.arg(1, "f")):
            yield flow.hit(made, f"{_name(made)}.state_dict() holds this rank's flat shards, keyed by index")
    for event in flow.trace.methods("load_state_dict"):
        if (
            names_optimizer(event.receiver)
            and _sharded(flow, event) == "fsdp1"
            and _read_from_file(event.arg(0, "state_dict"))
        ):
            yield flow.hit(event, f"{_name(event)}.load_state_dict() is given a state that FSDP1 has not sharded")
    stepped = list(steps(flow.trace))
    for event in flow.trace.calls(f"{DCP}.load"):
        made = _raw_state(event.arg(0, "state_dict"))
        if (
            made is not None
            and _sharded(flow, made) == "fsdp2"
            and not any(flow.trace.before(s, event) for s in stepped)
        ):
            yield flow.hit(
                made, f"{_name(made)}.state_dict() is empty before the first step: dcp.load loads nothing into it"
            )


def _name(event: Event) -> str:
    return getattr(event.receiver, "label", "") or "optimizer"


def _raw_state(value: Value | None) -> Event | None:
    for source in origins(value):
        made = source.made if isinstance(source, Obj) else None
        if made is not None and made.method == "state_dict" and names_optimizer(made.receiver):
            return made
    return None


def _sharded(flow: Flow, event: Event) -> str:
    """Return by which API the parameters of the event's optimizer are sharded, "" where unknown."""
    kinds = {
        kind
        for option in origins(event.receiver, 40)
        if isinstance(option, Obj) and option.made is not None
        for owner in parameter_owners(option.made.arg(0, "params"))
        for kind in flow.sharding.kinds(owner, event)
    }
    if not kinds:
        kinds = {fact.kind for module in flow.modules for fact in flow.sharding.facts.get(module.path, ())}
    return next(iter(kinds)) if len(kinds) == 1 else ""


def _read_from_file(value: Value | None) -> bool:
    """Tell whether a state comes from a file, and not from one of this rank's own."""
    read = [source.made for source in origins(value) if isinstance(source, Obj) and source.qual in READERS]
    return any(made is not None and not _of_this_rank(made.arg(0, "f")) for made in read)


def _of_this_rank(path: Value | None) -> bool:
    """Tell whether a path names the rank: each writes its own shards, and reads them again with as many ranks."""
    return any(isinstance(source, Obj) and source.rank in ("global", "local") for source in origins(path))
