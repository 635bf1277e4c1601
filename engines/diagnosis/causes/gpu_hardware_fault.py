"""GPU fell off the bus / Xid."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="gpu-hardware-fault",
    card="gpu-hardware-fault",
    signs=(
        Sign(
            6.0,
            (
                r"nvrm: xid|\bxid (?:errors? )?\(?(?:pci|\d)|uncorrectable ecc|fallen off the bus|gpu is lost"
                r"|unable to determine the device handle|gpu requires reset|nvlink error|row remap"
            ),
        ),
        Sign(
            2.0,
            r"unspecified launch failure|aer: |pcie bus error|ecc error|double.bit|thermal",
        ),
        Sign(
            2.0,
            (
                r"(?:always|only) (?:the )?(?:same )?(?:gpu|node)~(?:fail|\bhang|crash)|reboot~(?:help|fix|work)"
                r"|nvidia-smi~(?:err!|\bhang|error|no devices)"
            ),
        ),
    ),
    outside="never_fsdp",
    cost="the node is out of service",
    confirm="dcgmi diag -r 3, or another node, with the same job",
)
