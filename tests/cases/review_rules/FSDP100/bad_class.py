from accelerate import init_empty_weights
from torch.distributed import fsdp
from transformers import AutoModelForCausalLM


class Run:
    def __init__(self, config, mesh):
        with init_empty_weights():  # <- FSDP100
            self.model = AutoModelForCausalLM.from_config(config)
        self.shard(mesh)

    def shard(self, mesh):
        for layer in self.model.model.layers:
            fsdp.fully_shard(layer, mesh=mesh)
        fsdp.fully_shard(self.model, mesh=mesh)


def main(config, mesh, ids):
    run = Run(config, mesh)
    return run.model(ids)
