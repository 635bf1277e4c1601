from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from contextlib import nullcontext, ExitStack

def main(teacher, model, disc, dev, loader):
    model = FSDP(model, device_id=dev)
    disc = FSDP(disc, device_id=dev)
    for i, b in enumerate(loader):
        with ExitStack() as st:
            st.enter_context(model.no_sync())
            st.enter_context(disc.no_sync())
            model(b).backward()
