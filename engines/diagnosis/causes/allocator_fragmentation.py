"""Plenty of GPU memory reserved by PyTorch's allocator but split into blocks that cannot serve the request."""

from engines.diagnosis.cause import OOM, CauseRule, Sign

RULE = CauseRule(
    cause="allocator-fragmentation",
    card="allocator-fragmentation",
    signs=(
        Sign(
            3.0,
            r"reserved (?:by pytorch )?but unallocated",
            OOM,
        ),
        Sign(
            2.0,
            r"fragment",
        ),
        Sign(
            2.0,
            r"expandable_segments",
        ),
        Sign(
            2.0,
            r"reserved(?: memory)?~(?:much|far|lot|way|well)~(?:more|higher|above|larger)~(?:than )?allocated",
            OOM,
        ),
        Sign(
            2.0,
            (
                r"plenty of (?:free|reserved)|enough (?:free|memory free)~in total|memory is free but"
                r"|cannot find a contiguous|smaller than what is free"
            ),
        ),
        Sign(
            -3.0,
            r"failed to clone|nvidia-smi shows|outside (?:of )?pytorch",
        ),
        Sign(
            -3.0,
            r"empty_cache(?:\(\))?~(?:nothing|no (?:effect|difference|change)|not help|in vain)",
        ),
        Sign(
            3.5,
            (
                r"(?:holds?|reserves?d?|caches?d?|keeps?)\b[^\n]{0,30}(?:not us\w+|unused|idle|not need)|(?:unused"
                r"|idle|cached)[^\n]{0,20}(?:memory|gi?b)"
            ),
            r"wants?|request\w*|allocat\w*|asks? for|needs?",
            OOM + r"|fails?",
        ),
    ),
    quantity="fragmentation",
    cost="a few per cent of speed at most",
    confirm="memory_reserved() minus memory_allocated() at the peak shrinks; the same batch passes",
)
