"""CPU tensor given to an NCCL-only group."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="cpu-tensor-on-nccl-group",
    card="cpu-tensor-on-nccl-group",
    signs=(
        Sign(
            3.0,
            r"no backend type associated with device type cpu|tensors?~must be cuda and dense",
        ),
        Sign(
            3.0,
            (
                r"(?:all_?reduce|broadcast|all_?gather|barrier|gather|reduce|scatter)\w*\(~torch\.(?:tensor"
                r"|zeros|ones)\("
            ),
        ),
        Sign(
            3.0,
            (
                r"cpu tensor~(?:collective|all.?reduce|broadcast|gather|nccl)|(?:collective|all.?reduce"
                r"|broadcast|gather|reduce)~(?:cpu tensor|tensor on (?:the )?cpu|without \.?(?:cuda|to\()"
                r"|is on the cpu)"
            ),
        ),
        Sign(
            1.0,
            r"no backend type associated",
            r"\bddp\b|counter|metric|object",
        ),
        Sign(
            -3.0,
            r"offload|sync_module_states|full_tensor|fully_shard",
        ),
        Sign(
            3.0,
            r"numpy|as_tensor|from_numpy|\.cpu\(\)|on the (?:cpu|host)|host memory",
            r"all_?reduce|reduc\w+|gather|broadcast|summ\w+",
            r"nccl|gloo|on the gpu|dense",
        ),
    ),
    outside="without_fsdp",
    confirm="the tensor's device is cuda, or the group has a backend for cpu",
)
