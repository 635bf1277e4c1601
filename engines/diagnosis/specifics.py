"""What a fix means for this input: the port, the class, the file and line, the sizes that the text names."""

import re
from functools import cache

_PLACES: dict[str, tuple[str, str]] = {
    "master-port-in-use": (
        r"(?:\[::\]:|port |:)(?P<port>\d{4,5})\b",
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
_SCRIPT_LINE = re.compile(r'File "(?!.*site-packages)(?P<file>[^"\n]+\.py)", line (?P<line>\d+), in (?P<function>\S+)')
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
        return template.format(**{name: value[:200] for name, value in found.groupdict().items()})
    if cause in _AT_SCRIPT and (places := list(_SCRIPT_LINE.finditer(text))):
        last = places[-1]
        return f"The place to change is line {last['line']} of {last['file']}, in {last['function']}."
    return ""


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
