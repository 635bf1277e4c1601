import torch.distributed as dist


class Saver:
    def __init__(self, settings):
        self.low_rank = settings.lora.rank > 0 if settings is not None else False

    def save(self, counts):
        if self.low_rank:
            self.save_adapter(counts)

    def save_adapter(self, counts):
        dist.all_reduce(counts)


def main(settings, counts):
    Saver(settings).save(counts)
    if settings.lora.rank > 0:
        dist.all_reduce(counts)
