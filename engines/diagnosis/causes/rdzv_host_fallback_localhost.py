"""Each node rendezvous with itself."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="rdzv-host-fallback-localhost",
    card="rdzv-localhost-multinode",
    signs=(
        Sign(
            5.0,
            # the banner of every failed job on one machine says "host      : localhost"
            r"(?<!:\s)(?<!\[)localhost|(?:master_addr|endpoint)\W{1,4}localhost|(?<![\[:])127\.0\.0\.1|\$\(hostname\)",
            r"node|machine|\bhosts?\b",
            r"rdzv|rendezvous|master_addr|endpoint|\bhang|start-?up|multi",
        ),
        Sign(
            -3.0,
            r"ping by ip|not resolv|29500, useipv6",
        ),
    ),
    confirm="WORLD_SIZE is that of all nodes on each",
)
