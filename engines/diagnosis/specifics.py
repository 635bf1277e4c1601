"""What a fix means for this input: the port, the class, the file and line, the sizes that the text names."""

import re
from functools import cache

from engines.diagnosis.stacks import is_own_file

_PLACES: dict[str, tuple[str, str]] = {
    "master-port-in-use": (
        r"\b(?:bind|listen|bound)\w* (?:to|on) (?:address )?\S{0,60}:(?P<port>\d{4,5})\b"
        r"|(?:\b|_)port\W{1,3}(?P<port2>\d{4,5})\b"
        r"|(?<![\w.])(?:\[[\da-f:]*\]|\d{1,3}(?:\.\d{1,3}){3}|localhost):(?P<port3>\d{4,5})\b",
        "Port {port} is taken: `ss -ltnp | grep :{port}` names the holder; --master-port=0 takes a free one.",
    ),
    "wrap-class-not-found": (
        r"(?:cls_to_wrap\W{1,4}|layer class )(?P<name>[a-z]\w+)",
        "`{name}` is not in the model: print({{type(m).__name__ for m in model.modules()}}) lists what is.",
    ),
    "hostname-not-resolvable": (
        r"(?:\(|\[)(?P<host>[a-z][\w.-]+)(?:, |\]:)(?P<port>\d{2,5})",
        "`getent hosts {host}` must answer on every node.",
    ),
    "timeout-set-on-other-pg": (
        r"timeout\(ms\)=(?P<ms>\d+)",
        "The group that timed out has {ms} ms.",
    ),
    "docker-shm-too-small": (r"\(size (?P<size>\d+)\)", "NCCL asked for {size} bytes of /dev/shm; `df -h /dev/shm`."),
    "visible-devices-per-rank": (r"(?P<name>gpus-per-task|gpu-bind)", "--{name} gives each task one device: cuda:0."),
    "unused-params-no-optimizer-state": (
        r"missing key in checkpoint state_dict: (?P<key>\S+?)\.?(?:\s|$)",
        "`{key}` has no state in the checkpoint.",
    ),
    "dcp-planner-mismatch": (
        r"missing key in checkpoint state_dict: (?P<key>\S+?)\.?(?:\s|$)",
        "`{key}` is asked for; FileSystemReader(path).read_metadata().state_dict_metadata lists what is there.",
    ),
    "partial-checkpoint": (
        r"(?P<path>/\S+?)/\.metadata",
        "`{path}` is incomplete: take the newest folder with .metadata.",
    ),
    "checkpoint-needs-shared-fs": (
        r"(?P<path>/\S+?)/(?:\.metadata|__\d+_\d+\.distcp)",
        "`ls -la {path}` on every node shows which has which files.",
    ),
    "allocator-fragmentation": (
        r"and (?P<free>[\d.]+ [gm]ib) is reserved by pytorch but unallocated",
        "{free} are reserved but in pieces.",
    ),
    "compile-wrapper-hides-fsdp": (
        r"(?:key|state.?dict|checkpoint|param)[^\0]{0,400}?_orig_mod\.|_orig_mod\.[^\0]{0,400}?(?:key|state.?dict|checkpoint)",
        "Take the prefix off the checkpoint's keys before the load:"
        ' {{key.replace("_orig_mod.", ""): value for key, value in state.items()}}; save from the module inside.',
    ),
    "host-memory-limit-reached": (
        r"(?:full|whole|gather\w*)[ _]?(?:model )?state.?dict|sav(?:e|ing) (?:the )?(?:full|whole|checkpoint|model)",
        "It was killed at a save: a full state dict, offloaded to the CPU, needs host memory for the whole model; save"
        " a sharded one with dcp.save.",
    ),
    "memory-exceeds-gpu": (
        r"(?:total capacity of (?P<size>[\d.]+ [gm]ib)|(?P<size2>[\d.]+ [gm]ib) total capacity)[^\0]{0,300}?"
        r"(?P<used>[\d.]+ [gm]ib) (?:is allocated by pytorch|already allocated)",
        "Tensors fill {used} of {size}: `fsdp-agent estimate` with the model, GPUs, sequence length and micro-batch"
        " says which change makes room, and how much; `--plan PLAN.json` compares a plan's numbers.",
    ),
    "ended-by-signal": (
        r"(?P<why>time limit|wall.?clock|preemption|node failure|preempted)",
        "The scheduler's reason is: {why}. Resume from the newest complete checkpoint; a longer limit, or a signal some"
        " minutes before it (sbatch --signal=B:USR1@300) that starts a save, keeps the last steps.",
    ),
    "logits-fp32-spike": (r"tried to allocate (?P<size>[\d.]+ [gm]ib)", "The request of {size} is the logits."),
    "whole-model-one-unit": (r"tried to allocate (?P<size>[\d.]+ gib)", "The request of {size} is the gathered model."),
    "wrong-world-size": (
        r"invalid rank (?P<rank>\d+), rank should be in the interval \[0, (?P<last>\d+)\]",
        "The sampler was built for ranks 0 to {last}, this is rank {rank}.",
    ),
    "host-ram-load-all-ranks": (
        r"local_rank: (?P<rank>\d+)",
        "The kernel ended local rank {rank}: `dmesg -T | grep -i oom`.",
    ),
}
_SCRIPT_LINE = re.compile(r'File "(?P<file>[^"\n]+\.py)", line (?P<line>\d+), in (?P<function>\S+)')
_AT_SCRIPT = frozenset(
    [
        "rank-conditional-collective",
        "rank-divergent-decision",
        "forward-on-unwrapped-model",
        "non-forward-method-bypasses-hooks",
        "param-used-outside-its-unit",
        "optimizer-holds-wrong-params",
        "deepcopy-fsdp-module",
        "cpu-tensor-on-nccl-group",
    ]
)


def here(cause: str, text: str) -> str:
    """Return what a cause's fix means for this input; empty where the text names nothing to say.

    Args:
        cause: Slug of the cause.
        text: The text as it was written.
    """
    pattern, template = _PLACES.get(cause, ("", ""))
    if pattern and (found := _compiled(pattern).search(text)):
        # one name in several places of a pattern is numbered
        values = {name.rstrip("23"): value[:200] for name, value in found.groupdict().items() if value is not None}
        return template.format(**values)
    places = [place for place in _SCRIPT_LINE.finditer(text) if is_own_file(place["file"])]
    if cause in _AT_SCRIPT and places:
        last = places[-1]
        return f"The place to change is line {last['line']} of {last['file']}, in {last['function']}."
    return ""


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
