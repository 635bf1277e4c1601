from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def main(model, policy, x, plain):
    model = FSDP(model, auto_wrap_policy=policy)
    plain.forward(x)
    print(model.module.config)
    return model.forward(x)
