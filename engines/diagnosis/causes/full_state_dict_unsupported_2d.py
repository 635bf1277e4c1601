"""Full state dict with 2-D parallelism not supported."""

from engines.diagnosis.cause import HANG, CauseRule, Sign

RULE = CauseRule(
    cause="full-state-dict-unsupported-2d",
    card="full-state-dict-unsupported-2d",
    signs=(
        Sign(
            4.0,
            r"full_state_dict|full state ?dict|statedictoptions|set_model_state_dict|state dict",
            r"2-?d\b|tensor.parallel|fsdp ?(?:x|\+|and|with) ?tp|\btp\b",
            HANG + r"|not supported|notimplemented|unsupported|error|fail",
        ),
        Sign(
            2.0,
            r"pure fsdp|without tp",
            r"load|full",
        ),
    ),
    cost="conversion afterwards where one file is needed",
    confirm="dcp.save and dcp.load pass on the same mesh",
)
