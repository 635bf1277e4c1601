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
                r"|socket|hang|connect)|(?:eno\d|\blo\b|eth\d|ens\d)~(?:interface|hang|connect)"
                r"|net/socket : using \[0\](?:docker|virbr|lo|br-|veth|tun)"
            ),
            r"nccl|connect|hang|init",
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
    ),
    confirm="NCCL_DEBUG=INFO prints the intended interface at Bootstrap",
)
