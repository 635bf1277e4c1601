from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def log(history, loss):
    history.append(loss.detach().item())  # <- FSDP095


def train(model, policy, loader, optimizer):
    model = FSDP(model, auto_wrap_policy=policy)
    history = []
    for x in loader:
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        log(history, loss)
    return history
