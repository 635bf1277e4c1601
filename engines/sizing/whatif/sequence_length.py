"""What is the longest sequence?"""

from contracts.whatif import WhatIf
from engines.sizing.search.longest import STEP, longest_sequence
from engines.sizing.whatif.case import MARGIN_PCT, Case
from engines.sizing.whatif.compare import Variant, reserved_chart, table

ASKS = "What is the longest sequence that can be trained?"

START = 8192
"""Tokens from which to look where no length is stated."""


def answer(case: Case) -> WhatIf:
    """Work out the longest length to a thousand tokens, and show the way there."""
    longest = 0
    if case.capacity_gib is not None:
        longest = longest_sequence(case.shape, case.setup, case.capacity_gib, MARGIN_PCT, case.setup.seq_len)
    end = longest or case.setup.seq_len
    split = case.setup.tp * case.setup.cp
    raw = {max(STEP, end * part // 8 // STEP * STEP) for part in (1, 2, 4, 6, 8)} | {end + STEP}
    lengths = sorted(length for length in raw if length % split == 0) or [case.setup.seq_len]
    columns, rows, found = table(
        case, "seq_len", [Variant(length, case.varied(seq_len=length)) for length in lengths], "tokens"
    )
    rate = (found[-1].reserved_gib - found[0].reserved_gib) / max(1, lengths[-1] - lengths[0])
    said = "The GPU is not known: the table shows how memory grows."
    if case.capacity_gib is not None:
        said = f"{longest:,} tokens fit, {longest + STEP:,} do not." if longest else "Not even 1,024 tokens fit."
    return WhatIf(
        question="sequence-length",
        asks=ASKS,
        model=case.shape.name,
        columns=columns,
        rows=rows,
        answer=said,
        arithmetic=(
            f"a thousand tokens take about {1000 * rate:.3f} GiB: activations, logits and loss grow with them",
        ),
        chart=reserved_chart(case, "seq_len", "line"),
        cards=("context-parallel-and-fsdp", "logits-fp32-spike"),
    )
