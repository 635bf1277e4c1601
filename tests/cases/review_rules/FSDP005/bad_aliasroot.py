from torch.distributed.fsdp import fully_shard
class P:
    def __init__(self, model, mesh):
        self.model = fully_shard(model, mesh=mesh)
        self.net = self.model
    def again(self, mesh):
        fully_shard(self.net, mesh=mesh)  # <- FSDP005
def main(model, mesh):
    p = P(model, mesh)
    p.again(mesh)
