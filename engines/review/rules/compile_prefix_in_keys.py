"""FSDP049: state_dict() of a torch.compile'd module, saved with its `_orig_mod.` prefix."""

from collections.abc import Iterator

from engines.review.flow.knowing import objects, origins
from engines.review.flow.names import COMPILE, DCP
from engines.review.flow.sharding import base
from engines.review.flow.values import Obj, Value
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP049",
    slug="compile-prefix-in-keys",
    severity="warning",
    fix="model.compile() in place, or get_model_state_dict(), which strips the prefix.",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield saved states whose keys carry the wrapper's prefix."""
    if flow.mentions("_orig_mod") or not flow.shards_anything():
        return
    for event in flow.trace.calls("torch.save", "safetensors.torch.save_file", f"{DCP}.save", f"{DCP}.async_save"):
        for source in origins(event.args[0] if event.args else None):
            made = source.made if isinstance(source, Obj) else None
            if made is not None and made.method == "state_dict" and _compiled(made.receiver):
                yield flow.hit(made, "the keys carry the prefix _orig_mod. of torch.compile's wrapper")
                break


def _compiled(value: Value | None) -> bool:
    """The module itself, or the layers that it holds, are torch.compile's wrappers."""
    for obj in objects(value):
        holders = [part for part in base(obj).attrs.values() if isinstance(part, Obj)]
        layers = [layer for part in holders for layer in objects(part.attrs.get("[*]"))]
        if any(link.qual == COMPILE for link in (obj, *holders, *layers)):
            return True
    return False
