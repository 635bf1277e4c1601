"""FSDP102: non-persistent buffers of a model from the meta device are never computed again.

to_empty wipes them, and checkpoints do not carry them. Silent where anything that sounds
like initialising is called afterwards. A load that gives the parameters storage itself
(`assign=True`, or a full state dict into a model on the meta device) leaves them there:
found where they are seen to be computed there, and nothing in the files writes them again.
"""

import ast
import re
from collections.abc import Iterator

from engines.review.flow.knowing import objects, origins
from engines.review.flow.meta import (
    SETS_UP_JOB,
    assigning_loads,
    computed_on_meta,
    handed_out,
    made_on_meta,
    takes_buffers,
)
from engines.review.flow.sharding import base
from engines.review.flow.trace import Event
from engines.review.flow.values import Class, Ext, Obj
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP102",
    slug="buffers-lost-on-meta",
    severity="error",
    fix="Compute the buffers again after to_empty (init_weights), or build them on the real device.",
)

_RECOMPUTES = re.compile(r"init|reset|buffer|freq|rope|rotary|precompute|recompute|post_", re.IGNORECASE)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield to_empty calls on models that contain such buffers, and loads that leave them on the meta device."""
    yield from _left_on_meta(flow)
    for event in flow.trace.methods("to_empty"):
        for obj in objects(event.receiver):
            buffers = _lost(flow, base(obj)) if flow.sharding.kinds(obj, event) else []
            if _recomputed(flow, event):
                buffers = [(name, cls) for name, cls in buffers if _only_in_init(flow, name, cls)]
            if buffers:
                yield flow.hit(
                    event, f"the buffer {buffers[0][0]} is not persistent: to_empty wipes it and no checkpoint has it"
                )
                break


def _left_on_meta(flow: Flow) -> Iterator[Hit]:
    emptied = [base(obj) for event in flow.trace.methods("to_empty") for obj in objects(event.receiver)]
    for event, value in assigning_loads(flow.trace):
        for model in map(base, objects(value)):
            meta = made_on_meta(model)
            if meta is None or not takes_buffers(meta) or handed_out(flow.trace, model, meta):
                continue
            sharded = any(
                shard.kind == "fsdp2" and flow.sharding.touches(shard, model) for shard in flow.sharding.shards
            )
            if not sharded or any(flow.sharding.concerns(whole, model) for whole in emptied):
                continue
            lost = [name for name, cls in _lost(flow, model) if _only_in_init(flow, name, cls)]
            left = next((name for name in lost if computed_on_meta(flow.trace, name, event)), None)
            if left is not None:
                message = f"the buffer {left} is not persistent: no checkpoint has it, and it stays on the meta device"
                yield flow.hit(event, message).beside(meta, "made here")
                break


def _lost(flow: Flow, model: Obj) -> list[tuple[str, Class]]:
    """Return non-persistent buffers of the classes of which a model is made, by name and class."""
    classes = [part.cls for _, part in flow.shapes.parts(model) if part.cls is not None]
    classes += [source.cls for source in origins(model) if isinstance(source, Obj) and source.cls is not None]
    return [(name, cls) for cls in classes for name in _not_persistent(cls)]


def _only_in_init(flow: Flow, name: str, cls: Class) -> bool:
    """Tell whether no code of the files can compute a buffer again: it is registered once and written nowhere.

    Args:
        flow: The files.
        name: The buffer's name.
        cls: The class that registers it; its bases must be known.
    """
    bases = [link for link in cls.linear() if not isinstance(link, Class)]
    if name == "?" or any(not (isinstance(link, Ext) and link.name == "torch.nn.Module") for link in bases):
        return False
    written = re.compile(
        rf"\.{re.escape(name)}\b(?:\.data)?\s*(?:=[^=]|\.(?:copy_|set_|fill_|mul_|div_|data))"
        rf"|\.{re.escape(name)}\s*,.*=|buffers\(|_buffers|(?<!super\(\))\.__init__\(|setattr\("
    )
    texts = [module.code for module in flow.modules]
    registered = sum(text.count(f'"{name}"') + text.count(f"'{name}'") for text in texts)
    return registered == 1 and not any(written.search(text) for text in texts)


def _not_persistent(cls: Class) -> Iterator[str]:
    for node in ast.walk(cls.node):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "register_buffer":
            flags = [keyword.value for keyword in node.keywords if keyword.arg == "persistent"] + node.args[2:3]
            name = node.args[0] if node.args else None
            if any(isinstance(flag, ast.Constant) and flag.value is False for flag in flags):
                yield str(name.value) if isinstance(name, ast.Constant) else "?"


def _recomputed(flow: Flow, after: Event) -> bool:
    for event in flow.trace.events:
        if event.seq <= after.seq or event.run != after.run:
            continue
        name = event.qual.rpartition(".")[2] or event.method or event.name
        if event.kind in ("call", "enter", "setattr") and name not in SETS_UP_JOB and _RECOMPUTES.search(name):
            return True
        callee = event.callee
        if isinstance(callee, Obj) and _RECOMPUTES.search(callee.label):
            return True
    return False
