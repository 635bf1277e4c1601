"""A method or argument of FSDP1 is used on a model that fully_shard made (or on its configuration)."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="fsdp1-api-on-fsdp2",
    card="fsdp1-api-on-fsdp2-model",
    signs=(
        Sign(
            7.0,
            (
                r".fsdp\w+. object has no attribute .(?:clip_grad_norm_|no_sync|module|summon_full_params"
                r"|state_dict_type"
                r"|set_state_dict_type|optim_state_dict|_fsdp_wrapped_module|rank0_only|sharding_strategy|flatten_)"
            ),
        ),
        Sign(
            5.0,
            r"fully_shard|fsdp ?2|fsdp_version ?[:=] ?2",
            (
                r"keyerror: none|no attribute .(?:clip_grad_norm_|no_sync|module|_handle)"
                r"|summon_full_params~(?:nothing|no effect|sharded)"
                r"|(?:no_sync|clip_grad_norm_|state_dict_type|summon_full_params)\w*~(?:not exist|gone|missing"
                r"|removed)"
            ),
        ),
        Sign(
            5.0,
            r"fully_shard\(\) got an unexpected keyword argument",
        ),
    ),
    confirm="type(model).__name__ begins with FSDP and the new call passes",
)
