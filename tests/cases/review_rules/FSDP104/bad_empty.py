import accelerate
import transformers
from torch.distributed import fsdp


class Run:
    def __init__(self, config, policy):
        self.model = self.build(config)
        self.model = fsdp.FullyShardedDataParallel(self.model, policy, device_id=0)  # <- FSDP104

    def build(self, config):
        with accelerate.init_empty_weights():
            return transformers.LlamaForCausalLM(config)
