"""Parameter without init after to_empty."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="meta-param-not-reinitialised",
    card="to-empty-without-init",
    signs=(
        Sign(
            5.0,
            r"to_empty|meta",
            (
                r"a_log|reset_parameters|init (?:function|method)|_init_weights|never initiali[sz]ed"
                r"|not re-?initiali[sz]ed|without init|garbage|uninitiali[sz]ed|1e30"
            ),
            r"param|weight|scale|a_log|nan|layer",
        ),
        Sign(
            3.0,
            r"to_empty|meta",
            r"nan|garbage|random|inf\b",
            r"from scratch|pre-?training|init|some runs|first (?:logged )?step",
        ),
        Sign(
            -3.0,
            r"cannot copy out of meta|buffer|sync_module_states|first dimension|world size",
        ),
    ),
    confirm="no parameter is nan or huge after materialising",
)
