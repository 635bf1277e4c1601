import torch.distributed as dist


def evaluate(model, batches, total):
    for batch in batches:
        if dist.get_rank() == 0:
            total += model(batch)
            if total > 10:
                dist.all_reduce(total)  # <- FSDP040
                continue
            print(total)
