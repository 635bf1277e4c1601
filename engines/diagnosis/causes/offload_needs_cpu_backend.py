"""CPU collectives without gloo."""

from engines.diagnosis.cause import CauseRule, Sign

RULE = CauseRule(
    cause="offload-needs-cpu-backend",
    card="offload-needs-cpu-backend",
    signs=(
        Sign(
            4.0,
            r"no backend type associated with device type cpu",
            r"offload|full_tensor|clip_grad|cpuoffload",
        ),
        Sign(
            4.0,
            r"cpu:gloo|gloo",
            r"offload",
        ),
        Sign(
            2.0,
            r"no backend type associated",
            r"full_tensor|clip_grad_norm",
        ),
        Sign(
            -3.0,
            r"no offload|counter",
        ),
    ),
    confirm="a collective on a CPU tensor passes",
)
