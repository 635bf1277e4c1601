import torch
def save(path, model, optimizer, step):
    torch.save({"optim": optimizer.state_dict(), "step": step}, path)  # <- FSDP046
