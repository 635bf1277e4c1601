from torch import nn
from torch.distributed import fsdp


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)


OPTIONS = {"sync_module_states": True, "use_orig_params": True}


def main():
    net = Net()
    return fsdp.FullyShardedDataParallel(net, **OPTIONS)  # <- FSDP105
