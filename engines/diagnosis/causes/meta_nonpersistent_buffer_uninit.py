"""Non-persistent buffers uninitialised after to_empty."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="meta-nonpersistent-buffer-uninit",
    card="buffers-lost-on-meta",
    signs=(
        Sign(
            5.0,
            r"persistent ?= ?false|non-?persistent|inv_freq",
            r"\bmeta\b|to_empty|uninit|garbage|\bnan\b|init_on_rank0|init_empty",
        ),
        Sign(
            4.0,
            r"meta|to_empty|init_on_rank0|empty model|init_empty_weights|cpu_ram_efficient_loading",
            r"rotary|\brope\b|buffers?",
            r"garbage|nan|wrong|differ|uninit|not (?:in|initiali)",
        ),
        Sign(
            3.0,
            r"(?:init_on_rank0|empty model|meta)",
            r"no (?:exception|error)",
            r"loss~(?:differ|wrong|higher|worse|not match|garbage)",
        ),
        Sign(
            -3.0,
            r"hybrid|batchnorm|a_log|hsdp|running statistics",
        ),
    ),
    confirm="the buffer equals the one of a model that was made without meta",
)
