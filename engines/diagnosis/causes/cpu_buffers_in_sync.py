"""CPU buffers in an NCCL broadcast at wrap time."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="cpu-buffers-in-sync",
    card="cpu-buffers-in-sync",
    signs=(
        Sign(
            6.0,
            (
                r"has cpu parameters or buffers when .?sync_module_states|sync_module_states=true requires"
                r"|cpu parameters or buffers"
            ),
        ),
        Sign(
            4.0,
            r"no backend type associated with device type cpu|cpu (?:tensor|buffer)s?",
            r"sync_module_states|wrap(?:ping)? time|_sync_module|sync_params_and_buffers",
        ),
        Sign(
            3.0,
            r"buffers?~(?:on|left on|stay on|still on) (?:the )?cpu",
            r"sync|broadcast|wrap|nccl",
        ),
        Sign(
            -3.0,
            r"offload (?:is )?enabled|offload(?:_params|_policy)?[ =:]+(?:is )?(?:on|true)",
        ),
    ),
    confirm="all(b.is_cuda for b in model.buffers()) before wrapping",
)
