from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Run:
    def __init__(self, model, policy):
        self.model = FSDP(model, auto_wrap_policy=policy)

    def validate(self, loader):
        self.model.eval()
        return sum(self.model(x).mean() for x in loader)

    def validation_epoch(self, loader):
        losses = []
        for x in loader:
            losses.append(self.model(x))  # <- FSDP088
        return losses
