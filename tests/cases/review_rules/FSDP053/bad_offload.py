from torch.distributed import fsdp


class Export:
    def __init__(self, model, policy):
        self.model = fsdp.FullyShardedDataParallel(model, auto_wrap_policy=policy)

    def run(self):
        options = dict(writeback=False, offload_to_cpu=True)
        with self.model.summon_full_params(self.model, **options):  # <- FSDP053
            return [p.sum() for p in self.model.parameters()]
