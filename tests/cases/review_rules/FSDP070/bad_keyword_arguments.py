import torch
from torch.distributed.fsdp import fully_shard


def grad_norm(params, max_norm):
    total = torch.nn.utils.clip_grad_norm_(params, max_norm)
    return total


def report(step, **metrics):
    print(f"step {step} " + " ".join(f"{k}={v:.4f}" for k, v in metrics.items()))  # <- FSDP070


def loop(net, data, opt_fn):
    for b in net.blocks:
        fully_shard(b)
    fully_shard(net)
    opt = opt_fn(net.parameters())
    for i, x in enumerate(data):
        loss = net(x).mean()
        loss.backward()
        gn = grad_norm(net.parameters(), 1.0)
        opt.step()
        opt.zero_grad()
        report(i, loss=loss.item(), gnorm=gn)
