"""NCCL bootstraps on the wrong interface."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="nccl-wrong-socket-interface",
    card="nccl-wrong-socket-interface",
    signs=(
        Sign(
            5.0,
            r"nccl_socket_ifname|gloo_socket_ifname|wrong (?:network )?interface|wrong nic",
        ),
        Sign(
            4.0,
            (
                r"several (?:other )?(?:network )?interfaces|(?:docker0|virbr|br-|tailscale|\bvpn\b)~(?:nccl"
                r"|interface"
                r"|socket|\bhang|connect)|(?:eno\d|\blo\b|eth\d|ens\d)~(?:interface|\bhang|connect)"
                r"|net/socket : using \[0\](?:docker|virbr|lo|br-|veth|tun)"
            ),
            r"nccl|connect|\bhang|init",
        ),
        Sign(
            3.0,
            r"bootstrap\.cc",
            r"socket\.cc",
        ),
        Sign(
            3.0,
            r"nccl",
            r"connection refused|no route to host|unreachable",
            r"node|init",
        ),
        Sign(
            -3.0,
            r"port error|gid|communicator count|calloc",
        ),
        Sign(
            5.0,
            (
                r"(?:bootstrap ?: using|net/socket : using|connect(?:ing)? to"
                r"|interface)\b[^\n]{0,30}\b(?:172\.1[7-9]|172\.2\d|192\.168\.122|169\.254)\."
            ),
            r"connect\w*[^\n]{0,60}(?:fail|refus|abort|unreach|no route|time|\bhang)|\bhang|never",
        ),
        Sign(
            3.0,
            r"socketstartconnect|socketpollconnect|bootstrap",
            r"connect to [^\n]{0,60}(?:fail|refus|abort|no route|timed out)",
        ),
    ),
    confirm="NCCL_DEBUG=INFO prints the intended interface at Bootstrap",
)
