"""Offloaded module moved to the GPU by hand."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="offload-params-on-gpu",
    card="offload-params-on-gpu",
    signs=(
        Sign(
            6.0,
            (
                r"materialized on cpu when enabling cpu offloading"
                r"|parameter cpu offloading enabled has parameters on"
                r"|make sure to not move the module from cpu"
            ),
        ),
        Sign(
            4.0,
            (
                r"set the storage of a tensor on device .cpu. to a storage on different device|(?:model"
                r"|module)?\.?(?:to\(.?cuda|cuda\(\)|moved to (?:the )?gpu|to the gpu)"
            ),
            r"offload|different device",
            r"offload",
        ),
        Sign(
            -3.0,
            r"pin|full_tensor|amp_foreach",
        ),
    ),
    confirm="parameters are on the CPU between steps",
)
