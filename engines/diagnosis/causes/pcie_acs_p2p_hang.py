"""PCIe ACS breaks P2P."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="pcie-acs-p2p-hang",
    card="pcie-acs-p2p-hang",
    signs=(
        Sign(
            6.0,
            r"\bacs(?:ctl)?\b|access control services|iommu|\bvt-d\b|amd-vi",
        ),
        Sign(
            2.0,
            r"nccl_p2p_disable",
            r"pcie|phb|\bpix\b|no nvlink|nvlink",
        ),
        Sign(
            1.0,
            r"nccl_p2p_disable~(?:work|fix|help|run|train)",
        ),
        Sign(
            -4.0,
            r"acs (?:is )?(?:already )?off|bare metal",
            r"rtx|geforce|\b[345]0[5-9]0\b",
        ),
    ),
    confirm="lspci -vvv shows ACSCtl with minus signs; p2pBandwidthLatencyTest ends",
)
