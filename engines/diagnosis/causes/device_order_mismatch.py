"""Unsorted or re-ordered GPU list: launcher and framework map ranks to GPUs differently."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="device-order-mismatch",
    card="device-order-mismatch",
    signs=(
        Sign(
            5.0,
            (
                r"devices ?= ?\[\d+(?:, ?\d+)+\]|devices?~(?:chosen|picked|selected|sorted"
                r"|ordered)~(?:free memory|memory|automatic)|unsorted~(?:gpu|device)"
                r"|(?:gpu|device)s?[^\n.:]{0,25}(?:unsorted|not sorted|reordered|re-ordered|out of order"
                r"|descending|other order)"
            ),
        ),
        Sign(
            1.0,
            r"duplicate gpu detected",
        ),
        Sign(
            2.0,
            r"cuda_device_order|pci_bus_id|fastest_first",
        ),
        Sign(
            -3.0,
            r"guessing device|set_device",
        ),
    ),
    outside="never_fsdp",
    confirm="each rank prints another device uuid: torch.cuda.get_device_properties(i).uuid",
)
