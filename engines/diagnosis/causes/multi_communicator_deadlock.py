"""Concurrent collectives on several communicators."""

from engines.diagnosis.cause import HANG, CauseRule, Sign

RULE = CauseRule(
    cause="multi-communicator-deadlock",
    card="multi-communicator-deadlock",
    signs=(
        Sign(
            4.0,
            (
                r"(?:two|several|multiple|different|concurrent|both|half)~(?:communicators?|process groups?"
                r"|meshes|groups)"
            ),
            HANG + r"|nothing moves|wait for each other",
        ),
        Sign(
            4.0,
            r"hsdp|tensor.parallel|\btp\b|expert.parallel|\bep\b|second model",
            r"each|matches?|own sequence|inside",
            r"half|wait for each other|in different groups?|another group",
            HANG + r"|all.?reduce",
        ),
        Sign(
            3.0,
            r"cuda_device_max_connections|nccl_launch_order_implicit",
        ),
        Sign(
            -3.0,
            r"full_state_dict|set_model_state_dict|\bbatch\b",
        ),
        Sign(
            4.0,
            r"communicators?|process groups",
            (
                r"matching sequence|sequence numbers? (?:agree|match|are equal)|timed out (?:simultaneously|at once)"
                r"|own stream|host threads?|launch order"
            ),
        ),
    ),
    cost="collectives of the groups no longer overlap",
    confirm="a long run with NCCL_LAUNCH_ORDER_IMPLICIT=1 or one stream passes",
)
