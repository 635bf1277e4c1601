import torch
from accelerate import Accelerator, FullyShardedDataParallelPlugin
from torch.distributed.fsdp import MixedPrecisionPolicy
from transformers import AutoModelForCausalLM, get_cosine_schedule_with_warmup


class App:
    def __init__(self, args):
        self.accelerator = Accelerator(
            mixed_precision="bf16",
            fsdp_plugin=FullyShardedDataParallelPlugin(**self.plugin_kwargs(args)),
        )
        self.model = AutoModelForCausalLM.from_pretrained(args.model)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=args.lr)

    @staticmethod
    def plugin_kwargs(args):
        return dict(fsdp_version=2, reshard_after_forward="FULL_SHARD")  # <- HF204

    def prepare(self, loader):
        self.model = self.accelerator.prepare(self.model)
        self.opt, loader = self.accelerator.prepare(self.opt, loader)  # <- HF214
        return loader


def main(args, loader):
    app = App(args)
    for batch in app.prepare(loader):
        loss = app.model(**batch).loss
        app.accelerator.backward(loss)
        app.opt.step()
        app.opt.zero_grad()
