"""How do selective policies compare?"""

from contracts.whatif import WhatIf
from engines.sizing.whatif.case import Case
from engines.sizing.whatif.compare import Variant, reserved_chart, table

ASKS = "How do selective checkpointing policies compare?"


def answer(case: Case) -> WhatIf:
    """Compare policies by operation and by block."""
    variants = [
        Variant("by operation, attention kept", case.varied(ac="selective_op", ac_every=1, attention_kept=True)),
        Variant("by operation, attention repeated", case.varied(ac="selective_op", ac_every=1, attention_kept=False)),
        *(
            Variant(f"one block in {every}", case.varied(ac="every_k", ac_every=every))
            for every in (2, 3, 4, 8)
            if every <= case.shape.layers
        ),
    ]
    columns, rows, found = table(case, "policy", variants)
    pairs = list(zip(variants, found, strict=True))
    leanest = min(pairs, key=lambda pair: pair[1].reserved_gib)
    said = f"The leanest is {leanest[0].label} with {leanest[1].reserved_gib:.2f} GiB"
    if leanest[1].tokens_per_s:
        fastest = max(pairs, key=lambda pair: pair[1].tokens_per_s or 0.0)
        assert fastest[1].tokens_per_s is not None
        said += f" and {leanest[1].tokens_per_s:,.0f} tokens/s; the fastest is {fastest[0].label} with "
        said += f"{fastest[1].tokens_per_s:,.0f} tokens/s and {fastest[1].reserved_gib:.2f} GiB"
    tokens = case.setup.tokens / case.setup.tp
    attention = case.setup.act_bytes * case.shape.out_dim * tokens * case.shape.layers / (1 << 30)
    return WhatIf(
        question="selective-policies",
        asks=ASKS,
        model=case.shape.name,
        columns=columns,
        rows=rows,
        answer=said + ".",
        arithmetic=(
            f"attention's results: {case.setup.act_bytes} bytes x {case.shape.out_dim} x {tokens:,.0f} tokens x "
            f"{case.shape.layers} layers = {attention:.2f} GiB",
        ),
        chart=reserved_chart(case, "policy"),
        cards=("selective-activation-checkpointing", "ac-granularity"),
    )
