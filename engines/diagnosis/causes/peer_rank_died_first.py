"""Remote error caused by an earlier crash."""

from engines.diagnosis.cause import NCCL_TIMEOUT, CauseRule, Sign

RULE = CauseRule(
    cause="peer-rank-died-first",
    card="peer-rank-died-first",
    signs=(
        Sign(
            4.0,
            (
                r"ncclremoteerror|remote process exit(?:ed|ing)|connection closed by (?:remote )?peer"
                r"|connection reset by peer|broken pipe|socket timeout"
            ),
        ),
        Sign(
            3.0,
            (
                r"one (?:rank|worker|node|process)|another rank|a peer|rank \d+~(?:died|crash|exit|killed"
                r"|gone)|(?:died|crash|exited|killed)\w*~(?:first|earlier|before)"
            ),
            NCCL_TIMEOUT + r"|remote|connection|nccl|others",
        ),
        Sign(
            1.0,
            r"(?:sigsegv|signal 11|segmentation fault|exitcode ?: ?-11|sigabrt)",
        ),
        Sign(
            -3.0,
            (
                r"main process|is_main|only on rank|nccl warn cuda failure|cuda calloc|vendor err|status=12"
                r"|bootstrap\.cc"
            ),
        ),
        Sign(
            3.0,
            r"application crash on rank|shutdown or crash|connection was likely closed|failed to recv",
            r"rank|nccl|store",
        ),
    ),
    confirm="the first rank's own log; diagnose that",
)
