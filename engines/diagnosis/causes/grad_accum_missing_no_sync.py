"""Grad accum missing no sync.

Micro-steps and no_sync do not match in the accumulation loop; split: (a) no no_sync, only slow, (b) last
micro-step inside no_sync, optimizer meets unsharded gradients.
"""

from engines.diagnosis.cause import OOM, CauseRule, Sign

RULE = CauseRule(
    cause="grad-accum-missing-no-sync",
    card="no-sync-missing",
    signs=(
        Sign(
            5.0,
            (
                r"reduce.?scatter~(?:every|each) micro|(?:every|each) micro-?(?:batch|step)~(?:reduce|sync"
                r"|communicat)"
            ),
        ),
        Sign(
            3.0,
            r"accumul",
            r"slow|throughput|overhead|communicat",
            r"no_sync|sync|micro|reduce",
        ),
        Sign(
            3.0,
            r"accumul",
            r"no_sync",
            r"last micro|wrong|different|size of tensor|mismatch|unsharded",
        ),
        Sign(
            1.0,
            r"no_sync|set_requires_gradient_sync",
        ),
        Sign(
            -3.0,
            OOM + r"|uniform gradient dtype|more memory|memory~(?:jump|grow|higher|full.?size)|object has no attribute",
        ),
        Sign(
            4.0,
            (
                r"gradients?~(?:synchroni[sz]ed|reduced|all-?reduced)~(?:after|in|on) (?:each|every)"
                r"|(?:reduces?|syncs?|communicates?)\w*~(?:each|every) (?:backward|micro)"
            ),
            r"slow|time|twice|doubled|communicat|accumul",
        ),
    ),
    cost="without a reduction gradients stay whole: one copy of the model's gradients",
    confirm="the profiler shows one reduce-scatter for each unit and optimizer step",
)
