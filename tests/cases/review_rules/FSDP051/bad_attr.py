from torch.distributed.checkpoint import async_save
class C:
    def save(self, sd, step):
        self.future = async_save(sd, checkpoint_id=f"ck/{step}")  # <- FSDP051
def run(c, steps, sd):
    for s in range(steps):
        c = C()
        c.save(sd, s)
