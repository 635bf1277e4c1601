from trl import SFTTrainer, SFTConfig
import torch

class My(SFTTrainer):
    pass

def main(model, ds):
    cfg = SFTConfig("o", fsdp=True, fsdp_config={"version": 2})
    opt = torch.optim.AdamW(model.parameters())
    pair = (opt, torch.optim.lr_scheduler.LambdaLR(opt, lambda s: 1))
    return My(model=model, args=cfg, train_dataset=ds, optimizers=pair)  # <- HF217
