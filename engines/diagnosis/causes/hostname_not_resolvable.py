"""Node name not resolvable by the other nodes."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="hostname-not-resolvable",
    card="hostname-not-resolvable",
    signs=(
        Sign(
            6.0,
            (
                r"name or service not known|temporary failure in name resolution|nodename nor servname"
                r"|gai error|getaddrinfo|errno: -2\b|errno: -3\b"
            ),
        ),
        Sign(
            4.0,
            (
                r"(?:host ?name|\bdns\b|fqdn|\bname)[^\n'()]{0,60}?"
                r"(?:not |cannot |can't |un)\s?(?:be )?(?:resolv|known)"
                r"|127\.0\.1\.1|/etc/hosts|local.addr"
            ),
        ),
        Sign(
            2.0,
            r"ping by ip|by ip (?:works|it works)|failed to connect to \[?[a-z]",
        ),
        Sign(
            5.0,
            (
                r"getent hosts~(?:nothing|empty|no (?:output|answer|result)|fails?)|unknown host|(?:cannot|can.?t"
                r"|does not|doesn.?t|not|un)\s?(?:be )?(?:resolv|look(?:ed)? up)\w*|nslookup~(?:nxdomain"
                r"|can.?t find|fails?|nothing)|no (?:dns|a) (?:entry|record)|not in (?:the )?(?:/etc/hosts|dns)"
            ),
        ),
    ),
    confirm="getent hosts NAME answers on every node",
)
