"""The last micro-step ran inside no_sync, so optimizer.step meets unsharded (compute-dtype) gradients."""

from engines.diagnosis.cause import OOM, CauseRule, Sign

RULE = CauseRule(
    cause="optimizer-step-on-unsharded-grads",
    card="optimizer-step-on-unsharded-grads",
    signs=(
        Sign(
            4.0,
            r"tensors of the same index must be on the same device and the same dtype",
        ),
        Sign(
            4.0,
            r"optimi[sz]er\.step|step\(\)",
            r"size of tensor a|unsharded|shape|same dtype|dtype",
            r"no_sync|accumul|last micro",
        ),
        Sign(
            3.0,
            r"last micro-?(?:batch|step)~(?:inside|in|under) no_sync",
        ),
        Sign(
            -4.0,
            r"uniform gradient dtype|" + OOM + r"|mixed torch",
        ),
    ),
    confirm="the last micro-batch is outside no_sync and step() passes",
)
