from torch.distributed.fsdp import fully_shard
import torch.nn as nn
class Decoder(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.layers = nn.ModuleList([nn.TransformerDecoderLayer(d, 8) for _ in range(12)])
    def forward(self, x):
        for l in self.layers:
            x = l(x, x)
        return x
def main(mesh):
    model = Decoder(512)
    wanted = "EncoderLayer"
    for m in model.modules():
        if m.__class__.__name__ == wanted:
            fully_shard(m, mesh=mesh)  # <- FSDP013
    fully_shard(model, mesh=mesh)
