"""HSDP broadcast order leaves buffers uninitialised."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="hsdp-buffer-sync-order",
    card="hsdp-buffer-sync-order",
    signs=(
        Sign(
            5.0,
            r"hybrid_?shard|hsdp|hybrid shard",
            r"buffers?|running (?:statistics|mean|stats)|batch ?norm|rotary",
            r"second node|other nodes?|uninitiali[sz]ed|wrong|garbage|differ|nan",
        ),
    ),
    confirm="the sums of the buffers are equal on all ranks after wrapping",
)
