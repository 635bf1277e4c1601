"""LN410: the process group is never destroyed: a warning from NCCL, at times a hang at exit."""

from collections.abc import Iterator

from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="LN410",
    slug="destroy-process-group-missing",
    severity="advice",
    fix="torch.distributed.destroy_process_group() in a finally block",
    torch=">=2.4",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield init_process_group in scripts that shard and never destroy the group."""
    if flow.mentions("destroy_process_group") or not flow.shards_anything():
        return
    for event in flow.trace.calls("torch.distributed.init_process_group"):
        yield flow.hit(event, "nothing destroys the process group at the end")
        return
