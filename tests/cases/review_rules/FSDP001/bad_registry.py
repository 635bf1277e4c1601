import torch
from torch.distributed.fsdp import fully_shard
OPTS = {"adamw": torch.optim.AdamW, "sgd": torch.optim.SGD}
class State:
    pass
def setup(cfg, model):
    st = State()
    st.model = model
    st.optimizer = OPTS[cfg.opt](st.model.parameters(), lr=cfg.lr)  # <- FSDP001
    for _, m in st.model.named_children():
        fully_shard(m)
    fully_shard(st.model)
    st.sched = torch.optim.lr_scheduler.CosineAnnealingLR(st.optimizer, cfg.steps)
    return st
