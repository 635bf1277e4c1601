from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
class Export:
    opts = dict(offload_to_cpu=True, writeback=False)
    def run(self, m):
        with FSDP.summon_full_params(m, **self.opts):  # <- FSDP053
            return [p.sum() for p in m.parameters()]
