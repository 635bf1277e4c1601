"""P2P reported but broken on this GPU."""

from engines.diagnosis.cause import HANG, CauseRule, Sign

RULE = CauseRule(
    cause="consumer-gpu-p2p-unsupported",
    card="consumer-gpu-p2p-unsupported",
    signs=(
        Sign(
            4.0,
            r"(?:rtx ?)?(?:40[5-9]0|30[6-9]0|50[6-9]0|4090s|geforce|titan|consumer (?:gpu|card)s?)",
            r"nccl_p2p_(?:disable|level)|p2p|peer.to.peer|peer access",
        ),
        Sign(
            3.0,
            r"(?:rtx ?|geforce ?)(?:40[5-9]0|30[6-9]0|50[6-9]0)",
            HANG + r"|nan|wrong (?:data|result|value)|100 ?%",
        ),
        Sign(
            1.0,
            r"nccl_p2p_disable|peer access|p2p",
        ),
        Sign(
            -3.0,
            r"\bacs|iommu|\bvt-d\b",
        ),
        Sign(
            4.0,
            r"\b[345]0[5-9]0s?\b|geforce",
            r"cuda:\d~cuda:\d|from (?:one gpu|gpu \d)~to (?:another|the other|gpu \d)",
            r"\b0\., 0\.|zeros?\b|nan|wrong|garbage",
        ),
        Sign(
            -3.0,
            r"\A(?=.)(?!.*(?:rtx|geforce|titan|\b[345]0[5-9]0\b)).*(?:[ah]100|h200)",
        ),
        Sign(
            4.0,
            r"\b[345]0[5-9]0s?\b|geforce",
            (
                r"(?:card|gpu).to.(?:card|gpu)|direct (?:transfers?|copies|access)"
                r"|between (?:the )?(?:two )?(?:cards|gpus)"
            ),
        ),
    ),
    cost="transfers go through host memory: slower collectives",
    confirm="all_reduce_perf of nccl-tests ends with NCCL_P2P_DISABLE=1 and with right results",
)
