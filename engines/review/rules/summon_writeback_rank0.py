"""FSDP053: summon_full_params with writeback on rank 0 alone, or offloaded on every rank."""

from collections.abc import Iterator

from engines.review.flow.knowing import constant, is_true
from engines.review.flow.names import FSDP1
from engines.review.rule import Flow, Hit, Rule

RULE = Rule(
    id="FSDP053",
    slug="summon-writeback-rank0",
    severity="error",
    fix="writeback=False (and rank0_only=True where it is offloaded).",
)


def check(flow: Flow) -> Iterator[Hit]:
    """Yield calls whose options exclude each other."""
    for event in (*flow.trace.calls(f"{FSDP1}.summon_full_params"), *flow.trace.methods("summon_full_params")):
        if "**" in event.kwargs:
            continue
        write, rank0, offload = event.arg(2, "writeback"), event.arg(3, "rank0_only"), event.arg(4, "offload_to_cpu")
        if is_true(rank0) and (write is None or constant(write) is True):
            yield flow.hit(
                event, "rank0_only=True with writeback (the default) is not implemented", argument="rank0_only"
            )
        elif is_true(offload) and (rank0 is None or constant(rank0) is False):
            yield flow.hit(event, "every rank of the node copies the full parameters to the CPU", severity="warning")
