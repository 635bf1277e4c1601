"""First-step check: what no reader of the code can see, asked once, just before the first optimizer step.

One line in the training script, before the training loop, is all it takes:

```python
import fsdp_first_step
```

or no line at all, as a program that runs the script: `torchrun ... fsdp_first_step.py train.py --lr 1e-4`.
It needs Python and torch alone. Global hooks note the outermost modules and the first batch; on the first
`optimizer.step()` each rank looks at its own model and optimizers and puts a summary into the job's
key-value store; rank 0 compares them and writes one event of kind `first_step_check` into
`$FSDP_RUN_DIR/events.jsonl` (and a line for each finding on stderr). No collective is called, so the check
cannot hang a job, and the hooks are gone before the step itself runs.
"""

import gc
import hashlib
import itertools
import json
import os
import runpy
import sys
import time
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.optim.optimizer import Optimizer, register_optimizer_step_pre_hook

WAIT_SECONDS = float(os.environ.get("FSDP_FIRST_STEP_WAIT_SECONDS", "60"))
"""How long rank 0 waits for the summaries of the others."""
MAX_NAMES = 8
"""Names that one finding lists."""
MAX_UNITS = 64
"""Units that the event describes."""
_ROUNDS = itertools.count()
"""Numbers the checks of one process, so that their keys differ."""
FSDP2, FSDP1 = "FSDPModule", "FullyShardedDataParallel"


class FirstStep:
    """Watches until the first optimizer step, checks, reports, and takes its hooks away."""

    def __init__(self):
        """Install the hooks."""
        self.roots = []
        self.known = set()
        self.batch = ""
        self.forwards = 0
        self.handles = [
            register_module_forward_pre_hook(self._forward),
            register_optimizer_step_pre_hook(self._step),
        ]

    def remove(self):
        """Take the hooks away; the job runs as if they had never been."""
        for handle in self.handles:
            handle.remove()
        self.handles, self.roots, self.known = [], [], set()

    def _forward(self, module, args):
        """Note outermost modules with parameters, and what the first of them is called with."""
        if id(module) in self.known or not torch.is_grad_enabled():
            self.forwards += any(module is root for root in self.roots)
            return
        parts = {id(part) for part in module.modules()}
        if next(module.parameters(), None) is None:
            return
        self.roots = [root for root in self.roots if id(root) not in parts] + [module]
        self.known |= parts
        self.forwards += 1
        self.batch = self.batch or fingerprint(args)

    def _step(self, _optimizer, _args, _kwargs):
        """Check once; whatever goes wrong in here must not end the job."""
        roots, batch, forwards = self.roots, self.batch, self.forwards
        self.remove()
        try:
            report(roots, [found for found in gc.get_objects() if isinstance(found, Optimizer)], batch, forwards)
        except Exception as err:
            print(f"first-step check: {type(err).__name__}: {err}", file=sys.stderr, flush=True)


def fingerprint(value):
    """Return a hash of the tensors in a batch; "" where there are none."""
    digest, found = hashlib.sha256(), False
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, torch.Tensor) and not isinstance(item, DTensor) and item.numel():
            flat = item.detach().flatten()[: 1 << 16].to("cpu", torch.float64)
            digest.update(flat.numpy().tobytes())
            found = True
        elif isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, list | tuple):
            stack.extend(item)
    return digest.hexdigest() if found else ""


def kind_of(module):
    """Return which of the two APIs has sharded a module itself, "" for neither."""
    names = {cls.__name__ for cls in type(module).__mro__}
    return FSDP2 if FSDP2 in names else FSDP1 if FSDP1 in names else ""


def units_of(root):
    """Return (name, module) of every FSDP unit, the root included."""
    return [(name or "(root)", module) for name, module in root.named_modules() if kind_of(module)]


def own_parameters(unit):
    """Yield the parameters of a unit that belong to no unit inside it."""
    stack = [unit]
    while stack:
        module = stack.pop()
        yield from module._parameters.values()
        stack.extend(child for child in module.children() if not kind_of(child))


def shown(names):
    """Return some of many names."""
    listed = list(names)
    more = f" and {len(listed) - MAX_NAMES} more" if len(listed) > MAX_NAMES else ""
    return ", ".join(listed[:MAX_NAMES]) + more


def finding(code, severity, message):
    """Return one finding."""
    return {"code": code, "severity": severity, "message": message}


def check_sharding(root):
    """Is the root sharded, is every parameter, and did the policy match more than the root?"""
    units = units_of(root)
    if not units:
        return [finding("nothing-sharded", "error", f"no part of {type(root).__name__} is sharded by FSDP")]
    found = []
    if not kind_of(root):
        found.append(
            finding("root-not-sharded", "error", f"{len(units)} parts of {type(root).__name__} are, it itself is not")
        )
    if any(kind_of(module) == FSDP2 for _, module in units):
        plain = [n for n, p in root.named_parameters() if p.requires_grad and not isinstance(p, DTensor)]
        if plain:
            text = f"trainable, but no DTensor: {shown(plain)}; nothing reduces their gradients"
            found.append(finding("parameter-not-sharded", "error", text))
    meta = [name for name, p in (*root.named_parameters(), *root.named_buffers()) if p.is_meta]
    if meta:
        found.append(finding("still-on-meta", "error", f"without storage: {shown(meta)}"))
    repeated = max((len(list(m.children())) for m in root.modules() if isinstance(m, torch.nn.ModuleList)), default=0)
    if len(units) == 1 and repeated > 1:
        text = f"the root is the only unit, over {repeated} layers: the whole model is gathered at once"
        found.append(finding("one-unit", "warning", text))
    return found


def check_optimizers(roots, optimizers):
    """Do the optimizers hold the live parameters, all of them, and have these gradients?"""
    live = {id(p): name for root in roots for name, p in root.named_parameters()}
    held = {id(p): p for optimizer in optimizers for group in optimizer.param_groups for p in group["params"]}
    found = []
    dead = [p for key, p in held.items() if key not in live]
    if dead and len(dead) == len(held):
        text = f"none of the optimizer's {len(dead)} parameters is one of the model: step() changes nothing"
        found.append(finding("optimizer-holds-dead-parameters", "error", text))
    elif dead:
        text = f"{len(dead)} of the optimizer's {len(held)} parameters are none of the model that ran"
        found.append(finding("optimizer-holds-dead-parameters", "warning", text))
    trainable = [(name, p) for root in roots for name, p in root.named_parameters() if p.requires_grad]
    left = [name for name, p in trainable if id(p) not in held]
    if left and not dead:
        text = f"trainable, but in no optimizer: {shown(left)}"
        found.append(finding("parameters-without-optimizer", "warning", text))
    idle = [name for name, p in trainable if p.grad is None and id(p) in held and p.numel()]
    if idle:
        found.append(finding("no-gradient", "warning", f"no gradient at the first step: {shown(idle)}"))
    return found


def check_dtypes(root):
    """Has every unit one dtype of trainable parameters? Returns findings and a description of the units."""
    found, described = [], []
    for name, unit in units_of(root):
        own = [p for p in own_parameters(unit) if p is not None]
        dtypes = sorted({str(p.dtype).removeprefix("torch.") for p in own if p.requires_grad})
        described.append({"unit": name, "parameters": sum(p.numel() for p in own), "dtypes": dtypes})
        if len(dtypes) > 1 and kind_of(unit) == FSDP2:
            found.append(finding("mixed-dtype-unit", "error", f"{name} trains parameters of {', '.join(dtypes)}"))
    return found, described[:MAX_UNITS]


def compare(summaries):
    """What only all ranks together show: the same batch everywhere, different models or dtypes."""
    found = []
    batches = [summary["batch"] for summary in summaries if summary["batch"]]
    if len(summaries) > 1 and len(batches) == len(summaries) and len(set(batches)) == 1:
        text = f"all {len(summaries)} ranks were given the same batch: nothing splits the data"
        found.append(finding("same-batch-on-every-rank", "error", text))
    for key, code, text in (
        ("forwards", "different-number-of-forwards", "ranks ran a different number of forwards before the first step"),
        ("units", "ranks-disagree-on-units", "ranks have different units or dtypes"),
    ):
        values = {json.dumps(summary[key]) for summary in summaries}
        if len(values) > 1:
            found.append(finding(code, "error", f"{text}: {shown(sorted(values))[:400]}"))
    return found


def report(roots, optimizers, batch, forwards):
    """Check this rank, compare all ranks on rank 0, and write the event there."""
    found, units = [], []
    for root in roots:
        found += check_sharding(root)
        mixed, described = check_dtypes(root)
        found, units = found + mixed, units + described
    if not roots:
        found.append(finding("no-forward-seen", "warning", "no module ran with gradients before the first step"))
    found += check_optimizers(roots, optimizers) if roots else []
    mine = {"batch": batch, "forwards": forwards, "units": units, "findings": found}
    summaries, late = exchange(mine)
    if summaries is None:
        return
    merged = {(f["code"], f["message"]): f for summary in summaries for f in summary["findings"]}
    everything = [*merged.values(), *compare(summaries), *late]
    write(everything, units, len(summaries))


def exchange(mine):
    """Return all ranks' summaries on rank 0 (None elsewhere), and a finding where some did not come in time."""
    if not (dist.is_available() and dist.is_initialized()) or dist.get_world_size() == 1:
        return [mine], []
    rank, world = dist.get_rank(), dist.get_world_size()
    store, key = dist.distributed_c10d._get_default_store(), f"fsdp_first_step/{next(_ROUNDS)}"
    store.set(f"{key}/{rank}", json.dumps(mine))
    if rank:
        return None, []
    summaries, missing, end = [mine], [], time.monotonic() + WAIT_SECONDS
    for other in range(1, world):
        try:
            left = timedelta(seconds=max(end - time.monotonic(), 0.05))
            store.wait([f"{key}/{other}"], left)
            summaries.append(json.loads(store.get(f"{key}/{other}")))
        except RuntimeError:  # the store's time-out
            missing.append(str(other))
    text = f"ranks {shown(missing)} have not come to their first step {WAIT_SECONDS:.0f} s after rank 0"
    return summaries, [finding("ranks-missing", "error", text)] if missing else []


def write(findings, units, ranks):
    """Append the event to the run's log, and tell people on stderr."""
    order = {"error": 0, "warning": 1}
    findings = sorted(findings, key=lambda found: order[found["severity"]])
    data = {"findings": findings, "units": units, "ranks": ranks}
    for found in findings:
        print(f"first-step check: {found['severity']} {found['code']}: {found['message']}", file=sys.stderr, flush=True)
    if not findings:
        print(f"first-step check: {len(units)} units on {ranks} ranks, nothing found", file=sys.stderr, flush=True)
    folder = os.environ.get("FSDP_RUN_DIR")
    if folder:
        attempt = int(os.environ.get("FSDP_ATTEMPT", "1"))
        event = {"kind": "first_step_check", "time": time.time(), "attempt": attempt, "step": 0, "data": data}
        with Path(folder, "events.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps(event) + "\n")


watching = FirstStep()
"""The check of this process."""

if __name__ == "__main__":
    sys.modules["fsdp_first_step"] = sys.modules["__main__"]
    sys.argv = sys.argv[1:]
    sys.path[0] = str(Path(sys.argv[0]).resolve().parent)
    runpy.run_path(sys.argv[0], run_name="__main__")
