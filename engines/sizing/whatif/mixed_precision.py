"""What is the effect of custom mixed precision?"""

from contracts.whatif import WhatIf
from engines.sizing.whatif.case import Case
from engines.sizing.whatif.compare import Variant, reserved_chart, table

ASKS = "What is the effect of a custom mixed-precision policy?"

POLICIES = {
    "fp32 throughout": {"param_dtype": "fp32", "reduce_dtype": "fp32", "master_dtype": "fp32"},
    "bf16 compute, fp32 reduce": {"param_dtype": "bf16", "reduce_dtype": "fp32", "master_dtype": "fp32"},
    "bf16 compute, bf16 reduce": {"param_dtype": "bf16", "reduce_dtype": "bf16", "master_dtype": "fp32"},
    "bf16 throughout": {"param_dtype": "bf16", "reduce_dtype": "bf16", "master_dtype": "bf16"},
}
"""MixedPrecisionPolicy(param_dtype, reduce_dtype) and the dtype of the sharded weights."""


def answer(case: Case) -> WhatIf:
    """Compare four policies."""
    variants = [Variant(name, case.varied(**policy)) for name, policy in POLICIES.items()]
    columns, rows, found = table(case, "policy", variants)
    ranks = case.setup.shard_ranks
    states = [size * case.shape.params / ranks / (1 << 30) for size in (16, 16, 16, 8)]
    return WhatIf(
        question="mixed-precision",
        asks=ASKS,
        model=case.shape.name,
        columns=columns,
        rows=rows,
        answer=f"bf16 compute with fp32 weights takes {found[1].reserved_gib:.2f} GiB instead of "
        f"{found[0].reserved_gib:.2f} in fp32; bf16 throughout {found[3].reserved_gib:.2f}, but AdamW's small updates "
        "are rounded away.",
        arithmetic=(
            f"states of a rank: 16 bytes x {case.shape.params:,} / {ranks} = {states[0]:.2f} GiB with fp32 weights, "
            f"8 bytes: {states[3]:.2f} GiB in bf16",
        ),
        chart=reserved_chart(case, "policy"),
        cards=("mixed-precision-policy-fields", "low-precision-master-weights"),
    )
