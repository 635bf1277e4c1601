from torch.distributed import fsdp


class Sharder:
    options = {"reshard_after_forward": False}

    def apply(self, model):
        for module in model.modules():
            if isinstance(module, self.block):
                fsdp.fully_shard(module, **self.options)  # <- FSDP029
        fsdp.fully_shard(model)
