import torch.distributed.checkpoint as dcp


class Saver:
    def __init__(self):
        self.pending = None

    def save(self, state, path):
        if self.pending is not None:
            self.pending.result()
        self.pending = dcp.async_save(state, checkpoint_id=path)

    def sync(self, state, path):
        dcp.save(state, checkpoint_id=path)
