import torch.distributed.checkpoint as dcp
class C:
    fut = None
    def save(self, sd, step):
        self.wait()
        self.fut = dcp.async_save(sd, checkpoint_id=f"s{step}")
    def wait(self):
        if self.fut is not None:
            self.fut.result()
